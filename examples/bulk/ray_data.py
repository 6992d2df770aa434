#!/usr/bin/env python3
"""Translates a large text by the workers of a Ray cluster, or of this machine, through the module nmt.

usage: ray_data.py [--workers W] [--threads T] [--parts N] --model MODEL INPUT OUTPUT [SETTING=VALUE ...]
  --workers W  translators at a time (1 for each 8 cores of the cluster), of T threads each (8, or what there are)
  --parts N    of the text, which workers take (8 for each of them): what is done again where a worker is lost
  SETTING      of Translator.translate, as in beam=4 length_penalty=1

Takes `pip install ray[data]`. All nodes have to see the model and the text, which is not packed, under the same paths.
"""

import argparse
import json
import os
import sys

import ray

import nmt


def lines_of(path, part, parts):
    """Yields the lines of a file that begin in this part of its bytes."""
    size = os.path.getsize(path)
    begin, end = (size * i // parts for i in (part, part + 1))
    with open(path, "rb") as file:
        if begin > 0:
            file.seek(begin - 1)
            file.readline()  # which began before, unless it ends right there
        while file.tell() < end:
            yield file.readline().removesuffix(b"\n").decode(errors="replace")


class Translate:
    """A worker: opens the models once, then translates parts."""

    def __init__(self, models, threads, settings, path, parts):
        self.translator = nmt.Translator(models, device="cpu", threads=threads)
        self.settings, self.path, self.parts = settings, path, parts

    def check(self):
        """Finds settings that are wrong."""
        self.translator.translate([], **self.settings)

    def __call__(self, row):
        lines = lines_of(self.path, row["id"], self.parts)
        return {"lines": [translation.text for translation in self.translator.translate_iter(lines, **self.settings)]}


def setting(text):
    """NAME=VALUE, whose value is JSON where it can be read as that."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--workers", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--parts", type=int)
    parser.add_argument("--model", action="append", type=os.path.abspath, required=True)
    parser.add_argument("input", type=os.path.abspath)
    parser.add_argument("output")
    parser.add_argument("settings", nargs="*", type=setting)
    return parser.parse_args()


def share_cores(asked):
    cores = int(ray.cluster_resources().get("CPU", 1))
    asked.threads = asked.threads or min(8, cores)
    asked.workers = asked.workers or max(1, cores // asked.threads)
    asked.parts = asked.parts or 8 * asked.workers


def translations(asked):
    """Yields those of all lines, in the order of the text, whichever worker is first."""
    about = [asked.model, asked.threads, dict(asked.settings), asked.input, asked.parts]
    Translate(*about).check()  # once, and not by each worker
    os.stat(asked.input)
    # A worker that is lost is replaced, and what it had is translated again.
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    parts = ray.data.range(asked.parts, override_num_blocks=asked.parts).map(
        Translate, fn_constructor_args=about, num_cpus=asked.threads,
        compute=ray.data.ActorPoolStrategy(size=asked.workers))
    for part in parts.iter_rows():
        yield from part["lines"]


def main():
    asked = arguments()
    ray.init(log_to_driver=False)
    share_cores(asked)
    try:
        with open(asked.output + ".tmp", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in translations(asked))
        os.replace(asked.output + ".tmp", asked.output)
    except (nmt.Error, OSError, TypeError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
