"""The command line as a module: `python -m polyhead`."""

import sys

from polyhead.cli import main

if __name__ == "__main__":
    sys.exit(main())
