"""Looking inside: attention maps of a translation, and pictures of them."""
