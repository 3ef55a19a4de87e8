"""The words, and which of them go together: who can do what, to what, and what can be said of it."""
