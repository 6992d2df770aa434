#!/usr/bin/env python3
"""Checks the links, the options and the form of pages of documentation, without running or downloading anything.

usage: documentation.py PAGE.md...     NMT names the program

- A link to a file names a file that exists, and its #anchor a heading of that page. Links to web sites are not followed.
- Each --option in code is an option of some subcommand of nmt; after `nmt SUBCOMMAND`, of that one. Other programs, and what
  they are told, are in the tables below.
- Defaults in tables, in a column "default" after a "key" or in parentheses as in `--top-k K` (0), are those of nmt.
- A page begins with a title, then says what it is about, and shows an example (a block, a table or a picture) before its
  second section.
Prints each fault with its page and line.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

NMT = os.environ.get("NMT", "nmt")

# Programs with options of their own: what stands before an option in the same command or sentence.
OTHER_PROGRAMS = re.compile(
    r"(^|[^-\w])(cmake|ctest|git|pip|apt|dpkg-buildpackage|buildah|podman|docker|mmdebstrap|sbatch|srun|mpirun|mpiexec|scontrol|"
    r"systemctl|journalctl|curl|sacrebleu|comet-score|tensorboard|nvcc|perf|marian\S*|fairseq|transformers|CTranslate2|eole|"
    r"ct2-transformers-converter|Slurm|python3?|flock|xz|gdb|clang\S*|shellcheck|nsys|ncu|compute-sanitizer|"
    r"(\S+/)?[\w-]+\.(sh|py|sbatch)|bench_\w+|build/\S+|\.ci/\S+)\b[^|]*$", re.I | re.S)
# Columns of tables with options of other programs, by their headings.
OTHER_COLUMNS = re.compile(r"(of )?(Marian|fairseq|CTranslate2|transformers)|there", re.I)
# Defaults that only apply to recurrent models.
OTHER_DEFAULTS = {("encoder-layers", "1"), ("decoder-layers", "1"), ("layer-norm-epsilon", "1e-09")}
# Other options that pages name: those of scripts of this project, of other programs, and examples of mistakes.
OTHER_OPTIONS = {
    "examples.md": {"minutes", "data", "out", "steps", "languages", "pairs", "wmt14", "pair", "big"},
    "marian.md": {"force-decode", "beam-size", "allow-unk", "normalize", "mini-batch-words", "mini-batch-fit",
                  "lr-decay-inv-sqrt"},
    "testing.md": {"units", "full", "quick", "sanitize", "record", "gtest"},
    "toolkits.md": {"beam-size", "batch-size"},
    "students.md": {"teacher", "wmt14", "quick"},
    "scaling.md": {"rows"},
    "history.md": {"minutes"},
}


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def lines_of(page):
    """Each line with its number and the language of the fenced block that it is in, or None."""
    fence = None
    for number, line in enumerate(Path(page).read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r" *(```+)(.*)", line)
        if mark:
            fence = None if fence is not None else mark[2].strip()
            yield number, "", "fence"
        else:
            yield number, line, fence


def anchors(page):
    found = {}
    for _, line, fence in lines_of(page):
        heading = re.match(r"#+ +(.*)", line)
        if heading and fence is None:
            name = slug(heading[1])
            found[name] = found.get(name, 0) + 1
    return {f"{name}-{n}" if n else name for name, count in found.items() for n in range(count)}


class Checker:
    def __init__(self):
        self.faults = []
        self.links = self.options_seen = self.defaults_seen = 0
        self.options, self.defaults = {}, {}
        tables = subprocess.run([NMT, "--help=json"], stdout=subprocess.PIPE, check=True, text=True).stdout
        for line in tables.splitlines():
            table = json.loads(line)
            names = {option["name"] for option in table["options"]}
            for option in table["options"]:
                self.defaults.setdefault(option["name"], set()).add(option["default"])
            self.options[table["command"]] = names | {f"no-{name}" for name in names} | {"help", "version"}
        self.any_option = set().union(*self.options.values())

    def fault(self, page, line, what):
        self.faults.append(f"{os.path.relpath(page)}:{line}: {what}")

    def check(self, page):
        page = Path(page)
        self.check_form(page)
        # A link or a code span may go on in the next line.
        text, starts, command, columns = "", [], None, None
        for number, line, fence in lines_of(page):
            if fence is None:
                starts.append((len(text), number))
                columns, line = self.own_cells(columns, line)
                self.check_defaults(page, number, columns, line)
                text += line + "\n"
            elif fence in ("", "sh", "bash", "shell", "console"):
                command = self.check_command(page, number, line, command)
        self.check_text(page, text, lambda at: max(number for start, number in starts if start <= at))

    def check_form(self, page):
        parts, sections = [], 0
        for _, line, fence in lines_of(page):
            if fence is None and re.match(r"##+ ", line):
                sections += 1
                if sections == 2:
                    break
            elif fence == "fence" or re.match(r"\||!\[", line):
                parts.append("example")
            elif fence is None and line.startswith("# "):
                parts.append("title")
            elif fence is None and line.strip() and sections == 0:
                parts.append("purpose")
        if parts[:2] != ["title", "purpose"]:
            self.fault(page, 1, "does not begin with a title and what the page is about")
        if "example" not in parts:
            self.fault(page, 1, "has no example before its second section")

    @staticmethod
    def own_cells(columns, line):
        """The headings of the table that a line belongs to, and the line without options of other programs."""
        if not line.startswith("|"):
            return None, line
        cells = re.split(r"(?<!\\)\|", line)
        columns = columns or [cell.strip() for cell in cells]
        for at, heading in enumerate(columns[:len(cells)]):
            if OTHER_COLUMNS.fullmatch(heading):
                cells[at] = cells[at].replace("--", "  ")
        return columns, "|".join(cells)

    def check_defaults(self, page, number, columns, line):
        if not columns:
            return
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        stated = re.findall(r"`--([a-z0-9-]+)(?: [A-Z])?` \((\d[\d.e-]*)\)", cells[1])
        if columns[1] == "key" and "default" in columns and cells[1].startswith("`"):
            names, values = (re.findall(r"[^`, ]+", cells[at]) for at in (1, columns.index("default")))
            if values:
                stated += zip([name.replace("_", "-") for name in names], values)
        for name, value in stated:
            self.defaults_seen += 1
            known = self.defaults.get(name, set())
            if value not in known and (name, value) not in OTHER_DEFAULTS:
                self.fault(page, number, f"{name} has the default {' or '.join(sorted(known)) or 'none'}, not {value}")

    def check_text(self, page, text, line_at):
        code = re.compile(r"(`+)(.+?)\1", re.S)
        for span in code.finditer(text):
            self.check_span(page, line_at(span.start()), " ".join(span[2].split()), text[max(0, span.start() - 200):span.start()])
        plain = code.sub(lambda span: " " * len(span[0]), text)
        for link in re.finditer(r"\]\(([^)\s]+)\)", plain):
            self.check_link(page, line_at(link.start()), link[1])

    def check_link(self, page, line, target):
        if re.match(r"https?:|mailto:", target):
            return
        self.links += 1
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        if not file.exists():
            self.fault(page, line, f"the link to {target} names no file")
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
            self.fault(page, line, f"the link to {target} names no heading")

    def check_span(self, page, line, code, before):
        named = re.match(r"nmt ([a-z]+)\b", code)
        known = self.options.get(f"nmt {named[1]}") if named else None
        for option in re.finditer(r"(?<![\w-])--([a-z][a-z0-9-]*)", code):
            self.options_seen += 1
            if option[1] in (known or self.any_option) or self.is_other(page, option[1], code[:option.start()]):
                continue
            if not named and OTHER_PROGRAMS.search(before + code[:option.start()]):
                continue
            self.fault(page, line, f"{code[:named.end()] if known else 'nmt'} has no option --{option[1]}")

    def check_command(self, page, number, line, command):
        """`command` is what the lines before, which end with a backslash, hold."""
        line = re.sub(r"(^|\s)#.*", "", line)
        whole = (command or "") + line
        for option in re.finditer(r"(?<![\w-])--([a-z][a-z0-9-]*)", line):
            self.options_seen += 1
            before = whole[:len(whole) - len(line) + option.start()]
            called = re.findall(r"(?:^|[\s(|;&$])nmt +([a-z]+)\b(?![/.])", before)
            known = self.options.get(f"nmt {called[-1]}") if called else None
            other = not called or re.search(r"\| *(?!nmt)\S+[^|]*$", before)
            if option[1] in (known or self.any_option) or self.is_other(page, option[1], before if other else ""):
                continue
            self.fault(page, number, f"{f'nmt {called[-1]}' if known else 'no program here'} has no option --{option[1]}")
        return whole.rstrip()[:-1] + " " if line.rstrip().endswith("\\") else None

    @staticmethod
    def is_other(page, option, before):
        return option in OTHER_OPTIONS.get(page.name, ()) or OTHER_PROGRAMS.search(before) is not None


def main(pages):
    checker = Checker()
    for page in pages:
        checker.check(page)
    for fault in checker.faults:
        print(fault)
    print(f"{len(pages)} pages, {checker.links} links, {checker.options_seen} options, {checker.defaults_seen} defaults, "
          f"{len(checker.faults)} faults")
    return len(checker.faults) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
