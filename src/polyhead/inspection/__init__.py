"""Looking inside: a trace of everything that happened while one sentence was translated, and pictures of it.

    view → edits (what-if) → the translation, its search observed → listeners → one teacher-forced pass → Trace

The function `trace` makes a trace. `Translator.attention`, `polyhead look` and the server call it. It lies below the
translator, which it knows by a protocol alone, `Subject` (`search`). It works on a view of the model, other modules
over the same weights: `edits` exchange modules of the view, and `recorder` hooks listeners to its parts. The model that
translates is never touched, so a trace may be taken in any thread while the model is in use.

The translation is the one that would be served. The translator's own engine searches, whatever its precision, and the
trace names it. The recorded pass is the trained model's, in float32, and so are all numbers but the search's own.
Where edits change decoding, the edited view searches, in float32; the page compares what it finds with the plain
model's search.

A core of attention is seen through its formula: its context is weights·V, so a listener calls it with V = I and has
the weights. Noted are Q, K, V, masks, weights, what goes into W^O and comes out, residual connections, LayerNorm's
results and statistics, feed-forward networks, embeddings and positions. What follows from these (scores, scaled
scores, contexts, α·‖vW^O‖) is computed when it is asked for (`tensors`). `anatomy` names a model's attentions and
feed-forward networks; a part that it doesn't name is not recorded, so a new kind of model names its attentions there.

A `Trace` (`traced`) is a value that can be asked, drawn and saved, by `cell` (the arithmetic of one cell),
`head_finder` (what each head does), `prediction`, `beam`, `overview` and `sentence`. It is shown by `page`, as one
HTML file, and by `heat_maps` and `pictures` on a `canvas`. matplotlib is the optional extra `[pictures]`, imported
when a picture is drawn.
"""
