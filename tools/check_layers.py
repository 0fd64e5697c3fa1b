#!/usr/bin/env python3
"""Checks that every #include keeps to the rooms that docs/architecture.md allows.

usage: check_layers.py [ROOT]

Prints one line per broken rule and exits 1 when there is one. A room is a folder of src/; `public` is include/plimsoll.
"""

import re
import sys
from pathlib import Path

# What each room may include besides itself. The public headers are the public face of graph, nn, io, text and lm.
ALLOWED = {
    "public": set(),
    "base": set(),
    "hal": {"base"},
    "memory": {"hal", "base"},
    "graph": {"memory", "base", "public"},
    "cpu": {"graph", "memory", "base", "public"},
    "kernels": {"hal"},
    "gpu": {"graph", "memory", "hal", "base", "kernels", "public"},
    "runtime": {"graph", "cpu", "gpu", "memory", "hal", "base", "public"},
    "io": {"graph", "memory", "base", "public"},
    "text": {"base", "public"},
    "nn": {"base", "public"},
    "lm": {"base", "public"},
    "harness": {"base", "public"},
    "cli": {"harness", "base", "public"},
}

# Public headers that stand below everything: any room, base included, may use them.
BASE_LEVEL_HEADERS = {"plimsoll/errors.h", "plimsoll/version.h"}

# Public headers that a room below the public API defines, and so may include. They know no array themselves.
OWN_PUBLIC_HEADERS = {"memory": {"plimsoll/memory.h"}}
LOW_HEADERS = BASE_LEVEL_HEADERS.union(*OWN_PUBLIC_HEADERS.values())

# Programs that are users of the library: public headers and their own files, nothing inside src/.
USER_FOLDERS = ("examples", "tests/package")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".inc"}


def room_of(path):
    """The room that a path relative to the root belongs to, or None where no rule applies."""
    parts = path.parts
    if parts[:2] == ("include", "plimsoll"):
        return "public"
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None


def target_room(root, path, name):
    """The room that `#include name`, written in `path`, leads into, or None for a header from outside the project."""
    if name.startswith("plimsoll/"):
        return "public"
    if name.split("/")[0] in ALLOWED and (root / "src" / name.split("/")[0]).is_dir() and "/" in name:
        return name.split("/")[0]
    beside = root / path.parent / name
    if beside.is_file():
        return room_of(beside.resolve().relative_to(root.resolve()))
    return None


def files_under(root, folder):
    return sorted(path.relative_to(root) for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def includes_of(root, path):
    """Yields (line number, delimiter, name) of each include in a file."""
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(1), match.group(2)


def check_room_file(root, path):
    room = room_of(path)
    if room not in ALLOWED:
        return [f"{path}:1: room '{room}' is not in the list of tools/check_layers.py"]
    own = OWN_PUBLIC_HEADERS.get(room, set()) | BASE_LEVEL_HEADERS
    is_low = "/".join(path.parts[1:]) in LOW_HEADERS
    problems = []
    for line, _, name in includes_of(root, path):
        target = target_room(root, path, name)
        if target is None or name in own or (target in ALLOWED[room] | {room} and not is_low):
            continue
        problems.append(f"{path}:{line}: {room} must not include {name} (of {target})")
    return problems


def check_user_file(root, path):
    return [
        f"{path}:{line}: a program outside the library must not include {name} (of {target_room(root, path, name)})"
        for line, _, name in includes_of(root, path)
        if target_room(root, path, name) not in (None, "public")
    ]


def check(root):
    """All broken rules of the tree at `root`, as printable lines."""
    problems = []
    for folder in ("include/plimsoll", "src"):
        for path in files_under(root, folder):
            if room_of(path) is not None:
                problems += check_room_file(root, path)
    for folder in USER_FOLDERS:
        for path in files_under(root, folder):
            problems += check_user_file(root, path)
    return problems


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    problems = check(root)
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
