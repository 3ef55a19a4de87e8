"""The HTTP server: translations, what happens inside the model, and the page that shows it.

Requests are answered by `routes/`; each model computes in a thread of its own (`batcher`), so that texts of different
requests are decoded together; `pool` keeps the models that fit into memory.
"""
