"""Trained models for other engines: the same weights, the same arithmetic, in their formats."""
