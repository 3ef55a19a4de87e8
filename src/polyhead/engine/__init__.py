"""A trained model prepared for translating fast on a CPU: the same mathematics, its weights packed for the kernels.

`prepare` takes a model as it was loaded and returns a `Seq2Seq`; the model itself stays as it is. What differs from
`model/`: a sentence's projected memory is kept once for all its hypotheses, and its past is a tree that they share.
"""
