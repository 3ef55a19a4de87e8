"""Korean: Hangul arithmetic, particles, conjugation and the realisation of abstract sentences."""
