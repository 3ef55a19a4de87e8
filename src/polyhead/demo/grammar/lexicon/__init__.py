"""The words, and which of them go together: who can do what, to what, and what can be said of it.

Each table's columns are the fields of what its lines become, in `words.py` or beside the table; `tables.py` says how
they are written.
"""

from pathlib import Path

TABLES = Path(__file__).parent
"""Where the tables lie."""
