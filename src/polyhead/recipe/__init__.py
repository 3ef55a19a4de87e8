"""Recipes: one value that decides a training run, and the run that carries it out."""
