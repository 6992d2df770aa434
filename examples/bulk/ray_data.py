#!/usr/bin/env python3
"""Translates a large text with the workers of a Ray cluster, or of this machine, and the Python module nmt.

usage: ray_data.py [--workers W] [--threads T] [--parts N] --model MODEL INPUT OUTPUT [SETTING=VALUE ...]
  --workers W  number of workers (default: 1 per 8 cores of the cluster)
  --threads T  threads of each worker (default: 8, or all cores if there are fewer)
  --parts N    parts of the text (default: 8 per worker); if a worker is lost, its part is translated again
  SETTING      setting of Translator.translate, as in beam=4 length_penalty=1

Needs `pip install 'ray[data]'`. All nodes must see the model and the uncompressed text under the same paths.
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
            file.readline()  # the rest of a line of the part before, possibly empty
        while file.tell() < end:
            yield file.readline().removesuffix(b"\n").decode(errors="replace")


class Translate:
    """A worker, which opens the models once and then translates parts."""

    def __init__(self, models, threads, settings, path, parts):
        self.translator = nmt.Translator(models, device="cpu", threads=threads)
        self.settings, self.path, self.parts = settings, path, parts

    def check(self):
        """Raises an error if a setting is wrong."""
        self.translator.translate([], **self.settings)

    def __call__(self, row):
        lines = lines_of(self.path, row["id"], self.parts)
        return {"lines": [translation.text for translation in self.translator.translate_iter(lines, **self.settings)]}


def setting(text):
    """Parses NAME=VALUE; a value that is valid JSON is read as JSON."""
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
    """Yields the translations of all lines in the order of the text."""
    about = [asked.model, asked.threads, dict(asked.settings), asked.input, asked.parts]
    Translate(*about).check()  # once instead of in each worker
    os.stat(asked.input)
    # Ray replaces a lost worker, which translates its part again.
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
