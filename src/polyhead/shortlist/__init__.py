"""A vocabulary shortlist: of V target pieces the few hundred that a sentence's translation may be made of.

`build_shortlist` (`build`) finds in parallel text, for each source piece, the target pieces that most likely
translate it, by IBM model 1 (`lexicon`), adds the most frequent pieces and those that both vocabularies have, and
`Shortlist` holds them. `file` keeps them in the model directory, with the digest of the vocabularies that they are
for, and one for each language that the model writes, which `by_language` chooses from; `coverage` measures how long
lists are and how much of a text they hold.

`ShortlistSearch` (`search`) runs any search of `decoding/` in each sentence's own vocabulary, so that its output
layer, softmax and search are over a few hundred words (`vocabularies`, `model`). Log-probabilities are then over the
list. Sentences are multiplied in groups of 16 (`groups`): one product for a whole batch would be with nearly the
whole vocabulary, and one for each sentence would read every weight again and again. It is much faster where an engine
can give its output layer for some words alone (`ByRows`).

`masked` does the same in the whole vocabulary's numbers, for whoever searches with the model itself, as a look inside
does; it saves nothing.
"""
