"""Runs the program nmt, for `python -m nmt` and for the command `nmt` that pip installs."""

import os
import sys

from . import Error, program


def main():
    try:
        found = program.find()
    except Error as error:
        sys.exit(f"error: {error}")
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
