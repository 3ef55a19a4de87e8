"""A corpus that is larger than memory, prepared on disk: its text, and its token ids.

`texts` writes all pairs as they are read and gives them again, any of them at any time. `judging` finds what cleaning
leaves out, and `tokens` encodes the other pairs. Both share their work among processes (`processes`, `worker`), each of
which does some rows at a time. `whole` makes a directory only if it isn't there yet, undamaged, and `read_lock` keeps
one that is read from being deleted. `stamps` recognises the files that the text came from, and `room` looks whether the
disk has room.

What is read in training is read by position or mapped, and let go of again, so that a process takes memory for what it
works on and not for the corpus.
"""
