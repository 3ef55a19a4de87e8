"""The demonstration: a small generated corpus, one model for two directions, scores, translations, pictures."""
