"""`python -m nmt`, and `nmt` where the package was installed by pip: the program."""

import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).parent / "bin" / "nmt"
    if not program.exists():
        sys.exit(f"error: the program is not in this package: no {program}")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
