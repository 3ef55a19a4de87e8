"""The HTTP server: translations, what happens inside the model, and the page that shows it.

    request → limits (body, key, texts) → queue of a model → batch of like lengths → Translator → answer

`app` puts routes, limits and errors together around `services`, one value that is made when the server starts.
`routes/` has a file for each group of addresses. `gate` lets in who may ask. Requests are read within limits by `body`,
`fields`, `auth` and `checks`; `directions` and `detection` find the model that answers.

Three interfaces are spoken: polyhead's own, LibreTranslate's and DeepL's. `fields` reads what the clients of the latter
two send in query strings, JSON and forms, and `dialects` tells them of problems in their way. `documents` makes texts
of HTML and of XML (`xml_markup`), whose tags are inline codes. Whole files go through `polyhead.formats`
(`known_files`, `file_translation`) and wait to be fetched (`file_store`). `suggestions` keeps what people suggest.

`run` answers in one process, or has `workers` start several at one address. Traces and files stand on a shelf: in the
memory of the one process (`shelf`), or in a directory that all workers share (`shared`, `shared_shelf`). Workers also
share counts (`metrics`) and packed weights (`polyhead.engine.shared`).

Each model has one thread and one queue (`batcher`). The thread takes the text that has waited longest and, of those
that are to be translated in the same way, the texts nearest to it in length; that choice is a pure function
(`waiting`). What must be alone with the model, a trace or a stream (`telling`), stands in the same queue. An answer
is a future: a client that leaves cancels it, what is cancelled isn't decoded, and a search whose clients have all
left ends at its next step. The queue is bounded, and a full one answers 429 with the time to come back. Now and then
a model's thread gives freed memory back to the system.

`pool` reads the descriptions of models when the server starts, and weights when a model is first asked. Above the
budget of memory idle models are unloaded, those used longest ago first. A model whose file was overwritten is loaded
anew.
A trace is a value, kept for a while within a budget (`traces`); its parts are read while the model goes on.

All answers that aren't successes are problems (RFC 9457) with a `code` that programs can tell apart. Errors of lower
layers become problems in `problems` and nowhere else. `openapi` makes FastAPI's description at `/openapi.json` exact,
with the models' names and languages, and schemathesis holds the server against it. What goes through a model in one
piece has the format `sentence` there: how long it may be depends on the vocabulary. FastAPI's telemetry, and its
pages that load scripts from elsewhere, are off. No request needs a thread of its own: dependencies are coroutines,
since a plain function would be called in a worker thread.

    POLYHEAD_LOAD_MODEL=DIR POLYHEAD_LOAD_TEXT=FILE POLYHEAD_LOAD_SECONDS=60 pytest -m slow -s tests/server/test_load.py

lets two hundred clients use a server for a minute and compares it with the translator alone. The page is built from
`web/` into `page/`: `index.html` with its assets, and `single.html`, the same in one file.
"""
