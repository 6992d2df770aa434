"""`python -m nmt`, and `nmt` where the package was installed by pip: the program."""

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
