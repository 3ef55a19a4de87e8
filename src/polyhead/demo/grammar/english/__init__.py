"""English: morphology and the realisation of abstract sentences."""
