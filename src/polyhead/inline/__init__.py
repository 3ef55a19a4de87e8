"""Inline codes: what stands in a text, is not translated, and comes back exactly once.

XLIFF's word is used for tags such as `<b>`, placeholders such as `%s` and `{name}`, addresses and long numbers. `codes`
is the text with the places of its codes; every file format and the server make it of what they read, and write it
again with the translation's. `find` finds codes in plain text. `placing` says where they go in a translation.
"""
