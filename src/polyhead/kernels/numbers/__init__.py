"""Formats of numbers, and what is done with each of many: their exponentials, their extremes."""
