"""The words, and which of them go together: who can do what, to what, and what can be said of it.

A table's columns are the fields of the class that its lines become. This class is in `words.py`, or in the module here
that reads the table. `tables.py` says how tables are written.
"""

from pathlib import Path

TABLES = Path(__file__).parent
"""Where the tables lie."""
