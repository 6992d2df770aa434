#!/usr/bin/env python3
"""Collects the pages of the site, and prints the configuration of mkdocs for them.

usage: collect.py ROOT PAGES SITE     PAGES: a new folder for the sources; SITE: where mkdocs writes

The README is the front page, and the sections of doc/README.md are the navigation. Whatever a page links to is copied: other
pages, pictures, source files, and for a folder a list of its files.
"""

import json
import re
import shutil
import sys
from pathlib import Path

STYLE = """
.md-grid { max-width: 80rem; } /* room for lines of 125 characters and for wide tables */
.md-typeset td:not(:first-child) code { word-break: normal; } /* names of settings stay whole */
"""
FOLDERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "doc", "bench/history.md")


def links(text):
    """The files that a page links to, outside of code."""
    text = re.sub(r"^ *```.*?^ *```|(`+).+?\1", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def place(name):
    """The place of a page in the site: the README is the front page."""
    return "index.md" if name == "README.md" else name


def linked(text, page):
    """The text of a page with links to the places of pages in the site."""
    def moved(match):
        target, anchor = match[1], match[2] or ""
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        file = (page.parent / target).resolve()
        if file == ROOT / "README.md":
            target = target.removesuffix("README.md") + "index.md"
        elif file.is_dir():
            target = target.rstrip("/") + "/index.md"
        return f"]({target}{anchor})"
    return re.sub(r"\]\(([^)\s#]+)(#[^)\s]*)?\)", moved, text)


def as_python_reads_it(text):
    """Text in Python's dialect of Markdown: lists follow an empty line, inner ones are indented by four spaces, and bars in code
    within tables need no backslash."""
    text = re.sub(r"^ {2,3}(?=[-*] )", "    ", text, flags=re.M)
    text = re.sub(r"^\|.*", lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0]), text, flags=re.M)
    return re.sub(r"^(?!\s*[-*] |\s*\d+\. |\||#)(\S.*)\n(?=[-*] )", r"\1\n\n", text, flags=re.M)


def copy_page(page, pages):
    text = page.read_text(encoding="utf-8")
    copy = pages / place(str(page.relative_to(ROOT)))
    copy.parent.mkdir(parents=True, exist_ok=True)
    parts = re.split(r"(^ *```.*?^ *```)", linked(text, page), flags=re.M | re.S)
    text = "".join(part if at % 2 else as_python_reads_it(part) for at, part in enumerate(parts))
    copy.write_text(text, encoding="utf-8")
    for target in links(page.read_text(encoding="utf-8")):
        copy_linked((page.parent / target).resolve(), pages)


def copy_linked(file, pages):
    copy = pages / file.relative_to(ROOT)
    if file.suffix == ".md" or (copy / "index.md" if file.is_dir() else copy).exists():
        return
    if file.is_dir():
        files = sorted(part for part in file.rglob("*") if part.is_file() and "__pycache__" not in part.parts)
        copy.mkdir(parents=True, exist_ok=True)
        names = "".join(f"- [{part.relative_to(file)}]({part.relative_to(file)})\n" for part in files)
        (copy / "index.md").write_text(f"# {file.relative_to(ROOT)}\n\n{names}", encoding="utf-8")
        for part in files:
            copy_linked(part, pages)
    else:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def navigation():
    parts = [{"nmt": "index.md"}, {"Documentation": ["doc/README.md", "doc/faq.md"]}]
    index = (ROOT / "doc" / "README.md").read_text(encoding="utf-8")
    seen = set()
    for section in re.split(r"^## ", index, flags=re.M)[1:]:
        title, _, text = section.partition("\n")
        found = [f"doc/{target}" for target in links(text) if target.endswith(".md") and not target.startswith("..")]
        parts.append({title: [page for page in dict.fromkeys(found) if page not in seen]})
        seen.update(found)
    parts.append({"Project": ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/history.md"]})
    return parts


ROOT, PAGES, SITE = (Path(argument).resolve() for argument in sys.argv[1:4])
for folder in FOLDERS:
    path = ROOT / folder
    for page in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
        copy_page(page, PAGES)
(PAGES / "style.css").write_text(STYLE, encoding="utf-8")
# YAML takes JSON.
print(json.dumps({
    "site_name": "nmt",
    "docs_dir": str(PAGES),
    "site_dir": str(SITE),
    "use_directory_urls": False,
    "nav": navigation(),
    "theme": {
        "name": "material",
        "font": False,  # nothing from other sites
        "features": ["navigation.tabs", "navigation.sections", "navigation.top", "toc.follow", "content.code.copy"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default"},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate"},
        ],
    },
    "extra_css": ["style.css"],
    "plugins": ["search"],
    "markdown_extensions": [
        "tables", "sane_lists", "attr_list",
        {"toc": {"permalink": True}},
        {"pymdownx.highlight": {"use_pygments": True}},
        "pymdownx.superfences",
    ],
    "validation": {"links": {"anchors": "warn", "not_found": "warn"}, "nav": {"omitted_files": "ignore"}},
}, indent=1))
