"""From texts to translations: `Translator` and what it is made of.

A text is cut into pieces that the model can read (`pieces`), pieces of like length are searched together, a batch to
each core (`search`), and the translations of a text's pieces are joined again (`translation`). `scoring` gives the
log-probability of given translations. With `align`, one teacher-forced pass over the result reads the weights of the
attention that aligns words (`piece_alignment`, `alignment`). `companions` says which models and shortlists may work
together, as an ensemble's do.
"""
