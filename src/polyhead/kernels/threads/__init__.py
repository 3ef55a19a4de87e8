"""A team of threads that shares the work of one kernel, and the atomic operations that it needs.

A step for a lone sentence takes as long as its weights take to come from memory, and two cores fetch twice as much.
Each member does the same panels of every product, so that they stay in its own cache. The thread that leads writes
each job on a board, which is memory that all members share. Helpers poll the board as long as a translation lasts,
because a thread that sleeps wakes later than a product ends. Whoever comes to a share first does it, so nobody waits
for a thread that the system has suspended. Panels are never split, so the results are those of one core, to the bit.
A process has one team at a time, of four members at most.
"""
