"""python -m gonextdoor: the command line."""

import sys

from gonextdoor.cli import main

if __name__ == "__main__":
    sys.exit(main())
