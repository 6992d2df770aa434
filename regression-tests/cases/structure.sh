#!/usr/bin/env bash
# Includes point one way: a component includes only components that its CMakeLists.txt links, and no two sub-folders of
# a component include each other, directly or indirectly. (A folder and its own sub-folders count as one.)
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.."
python3 - <<'EOF'
import re
import sys
from collections import defaultdict
from pathlib import Path

root = Path("src")
links = {"api": {"engine"}, "python": {"engine", "metrics", "api"}}
for listing in root.glob("*/CMakeLists.txt"):
    for name, libraries in re.findall(r"nmt_library\((\w+)([^)]*)\)", listing.read_text()):
        links[name] = set(re.findall(r"\bnmt_(\w+)", libraries))
for part in (root / "backend").glob("*/CMakeLists.txt"):  # libraries of one component
    for name, libraries in re.findall(r"nmt_library\((\w+)([^)]*)\)", part.read_text()):
        links[name] = set(re.findall(r"\bnmt_(\w+)", libraries))
links["backend"] |= {"reference", "cpu", "measure", "tensor"}


def reachable(name, seen):
    for other in links.get(name, ()):
        if other not in seen:
            seen.add(other)
            reachable(other, seen)
    return seen


faults = []
edges = defaultdict(dict)
components = {folder.name for folder in root.iterdir() if folder.is_dir()}
for path in sorted(root.rglob("*")):
    if path.suffix not in (".h", ".cpp", ".cu"):
        continue
    folder = path.parent.relative_to(root)
    component = folder.parts[0]
    may_use = reachable(component, {component})
    for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
        parts = Path(included).parts
        if len(parts) < 2 or parts[0] not in components:
            continue
        used = parts[0]
        if used == "backend" and len(parts) > 2 and component != "backend":
            used = parts[1]
        if used not in may_use:
            faults.append(f"{path} includes {included}, but {component} does not link nmt_{used}")
        other = Path(included).parent
        if other != folder and other not in folder.parents and folder not in other.parents:
            edges[folder].setdefault(other, f"{path} includes {included}")


def path_between(start, end, seen):
    """The includes on a way from one folder to another; none where there is no way."""
    if start == end:
        return []
    seen.add(start)
    for other, example in edges[start].items():
        if other not in seen:
            rest = path_between(other, end, seen)
            if rest is not None:
                return [example, *rest]
    return None


for folder in sorted(edges):
    for other, example in edges[folder].items():
        way = path_between(other, folder, set())
        if way is not None and folder < other:
            faults.append("folders include each other: " + "; ".join([example, *way]))
if not components or not edges:
    faults.append("found no includes")
print("\n".join(faults))
sys.exit(1 if faults else 0)
EOF
