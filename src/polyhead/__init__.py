"""polyhead: train, use and look inside Transformer translators."""

__version__ = "0.1.0"
