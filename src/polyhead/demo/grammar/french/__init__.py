"""French: sound rules, agreement, conjugation and the realisation of abstract sentences."""

from pathlib import Path

TABLES = Path(__file__).parent
"""Where the tables of irregular forms lie."""
