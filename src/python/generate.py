#!/usr/bin/env python3
"""Generates settings.py of the package: the settings that functions take, with types, from the program and the module.

usage: generate.py NMT _nmt.pyi settings.py

Options of subcommands come from `nmt --help=json`, and settings of engines and searches from the attributes that _nmt.pyi
declares. Whatever is added there becomes a setting in Python, with completion, help and type checks.
"""

import ast
import json
import subprocess
import sys

# Options of subcommands that functions take as separate arguments, or that make no sense for them.
_ELSEWHERE = {"output", "input", "config", "help", "verbose", "color", "dry_run", "list_presets"}
_TYPES = {"switch": "bool", "boolean": "bool", "integer": "int", "number": "float", "string": "str", "file": "Path",
          "interval": "Union[int, str]", "time": "Union[int, str]", "size": "Union[int, str]"}
_HEAD = '''"""The settings of functions, from the tables of the program. Written by generate.py when the package is built."""

from __future__ import annotations

import collections.abc
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Optional, TypedDict, Union

from .paths import Path

# Translations of a term, and a glossary.
Target = Union[str, Sequence[str], None]
Terms = Union[Mapping[str, Target], Iterable[Sequence[Target]]]
'''


def literal(choices):
    """Returns the type of texts with these choices; true and false become bool."""
    others = [choice for choice in choices if choice not in ("true", "false")]
    types = ["bool"] if len(others) < len(choices) else []
    if others:
        types.append(f"Literal[{', '.join(map(json.dumps, others))}]")
    return types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"


def type_of_option(option):
    kind = _TYPES[option["type"]]
    if option["choices"] and "numbered" not in option:
        kind = literal(option["choices"])
    elif option["is_path"]:
        kind = "Path"
    if option["is_list"]:
        kind = f"Union[{kind}, Sequence[{kind}]]"
    return f"Optional[{kind}]"


def options_of_command(table):
    return {option["name"].replace("-", "_"): option for option in table["options"]}


def attributes(module, name):
    """Returns the settable attributes of a class of the module, with the types that they take."""
    (found,) = (node for node in module.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = [node for node in found.body if isinstance(node, ast.FunctionDef)]
    arguments = {method.name: method.args.posonlyargs + method.args.args for method in methods}  # the setter comes last
    return {name: ast.unparse(given[1].annotation) for name, given in arguments.items() if len(given) == 2}


def attribute_types(attributes, options):
    """Returns the types of attributes, restricted to the choices of the option of the same name, if there is one."""
    types = {}
    for name, kind in attributes.items():
        option = options.get(name, {})
        if option.get("choices") and "numbered" not in option and "str" in kind:
            kind = f"Optional[{literal(option['choices'])}]" if "None" in kind else literal(option["choices"])
        types[name] = kind
    return types


def typed_dict(name, comment, types):
    fields = "".join(f"    {field}: {kind}\n" for field, kind in types.items())
    return f'\n\nclass {name}(TypedDict, total=False):\n    """{comment}"""\n\n{fields}'


def dictionary(name, comment, kind, values):
    entries = "".join(f"    {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in values.items())
    return f"\n\n# {comment}\n{name}: dict[str, {kind}] = {{\n{entries}}}\n"


def without(names, mapping):
    return {name: value for name, value in mapping.items() if name not in names}


def main(program, stub, output):
    lines = subprocess.run([program, "--help=json"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    commands = {table["command"]: options_of_command(table) for table in map(json.loads, lines)}
    train = without(_ELSEWHERE, commands["nmt train"])
    vocab = without(_ELSEWHERE, commands["nmt vocab"])
    translate = commands["nmt translate"]
    with open(stub, encoding="utf-8") as file:
        module = ast.parse(file.read())
    search = without({"n_best", "sampling"}, attributes(module, "SearchSettings"))
    sampling = without({"first_place"}, attributes(module, "SamplingSettings"))
    engine = attributes(module, "EngineSettings")
    engine["language_model"] = engine["quality_model"] = "Optional[Path]"
    search["sample"] = "bool"
    search["glossary"] = "Terms"
    helps = {name: option["help"] for name, option in translate.items()}
    text = _HEAD
    text += typed_dict("EngineOptions", "Settings of a Translator or Scorer.", attribute_types(engine, translate))
    text += typed_dict("SearchOptions", "Settings of translate().", attribute_types({**search, **sampling}, translate))
    text += typed_dict("TrainOptions", "Settings of train(): the options of `nmt train`.",
                       {name: type_of_option(option) for name, option in train.items()})
    text += typed_dict("VocabularyOptions", "Settings of Vocabulary.train(): the options of `nmt vocab`.",
                       {name: type_of_option(option) for name, option in vocab.items()})
    text += dictionary("SAMPLING", "The settings that need sample=True.", "str", dict.fromkeys(sampling, "sample"))
    for name, options in (("TRAIN", train), ("VOCABULARY", vocab)):
        text += dictionary(name, "The types of options.", "str", {key: option["type"] for key, option in options.items()})
    text += dictionary("HELP", "What settings do.", "dict[str, str]", {
        "EngineOptions": {name: helps[name] for name in engine if name in helps},
        "SearchOptions": {name: helps[name] for name in {**search, **sampling} if name in helps},
        "TrainOptions": {name: option["help"] for name, option in train.items()},
        "VocabularyOptions": {name: option["help"] for name, option in vocab.items()}})
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
