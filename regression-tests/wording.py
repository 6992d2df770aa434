#!/usr/bin/env python3
"""Finds wordings that make readers stumble, in sources, tests, scripts and pages.

usage: wording.py [FILE_OR_FOLDER...]      without arguments: the whole project

Prints each with its file and line and what to write instead, and exits with 1 if there are any. Files that quote some of them
are left out.
"""

import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".cpp", ".cu", ".py", ".sh", ".awk", ".sbatch", ".js", ".css", ".html", ".txt", ".md", ""}
LEFT_OUT = {"CONTRIBUTING.md", "wording.py", "documentation.sh"}  # they quote wordings
PROJECT = ["src", "include", "tests", "regression-tests", "examples", "bench", "cmake", "debian", "doc", ".ci", "README.md",
           "SECURITY.md"]

COMMENT = r"^\s*(///?|#) "
WORDINGS = {
    COMMENT + r"(The same|Those)\b": "say what it is, without the comment before it",
    COMMENT + r"(So (is|are|does|do)|Whatever|Beside)\b": "begin with the subject",
    r"\bthat there is none\b|\bis none of\b": "is not one of, is missing",
    r"\bthere is no \w+ ['{]": "unknown, missing",
    r"\bis no (JSON|UTF-8|YAML|XML|number|picture|name|program)\b": "is not, is invalid",
    r"\btells? (of|nothing)\b": "reports, describes, warns about",
    r"\b(graphics|video) cards?\b|\b(the|a|one|two|each|per|both) cards?\b": "GPU",
    r"\bblanks\b": "spaces",
    r"\bno word of\b": "no message about",
    r"\b(models?|searches|Transformer) here\b": "nmt",
    r"\b(goes|going|to go) on\b": "continues, continuing, to continue",
    r"colour|(?<!legacy_)behaviour|neighbour|licence|judgement|travelled|(?<!c)(optim|normal|initial|recogn|vector|quant)is(e|ing|ation)":
        "American spelling",
    r"\bbehind (the|a|an|it|its|each|every|one|all|that|this)\b(?! proxy)": "after",
    r"\bis what (it|they) (is|are|was|were)\b|\bnot what it was\b|\bstays what\b": "unchanged",
}
PATTERNS = [(re.compile(pattern), instead) for pattern, instead in WORDINGS.items()]


def files_of(places):
    """Returns the text files among these files and in these folders."""
    for place in map(Path, places):
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in found:
            if file.is_file() and file.suffix in SUFFIXES and file.name not in LEFT_OUT and "__pycache__" not in file.parts:
                yield file


def main(places):
    faults = 0
    for file in files_of(places):
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for pattern, instead in PATTERNS:
                found = pattern.search(line)
                if found:
                    print(f"{file}:{number}: '{found[0].strip()}'; write instead: {instead}")
                    faults += 1
    return faults > 0


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    sys.exit(main(sys.argv[1:] or [root / place for place in PROJECT]))
