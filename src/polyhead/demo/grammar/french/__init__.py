"""French: sound rules, agreement, conjugation and the realisation of abstract sentences."""
