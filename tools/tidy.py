#!/usr/bin/env python3
"""Runs clang-tidy over the project's sources, only on those that changed since they last passed.

usage: tidy.py [--build FOLDER] [--jobs N] [FILE...]

Needs a configured build folder, for its compile_commands.json. Files default to every source of the project that the
build knows, tests apart: they are held to the compiler's warnings and the formatter.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import stamps

TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-19")
# Neither options of g++ that clang does not know nor what g++'s own headers use are findings.
EXTRA = [
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wno-ignored-optimization-argument",
    "--extra-arg=-Wno-deprecated-declarations",
]
FOLDERS = ("src", "bench", "examples")


def load_commands(build):
    """Source path -> compile command, for the project's own files."""
    database = Path(build) / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tidy: {database} is missing; configure first: cmake --preset release")
    return {Path(entry["file"]): entry["command"] for entry in json.loads(database.read_text())}


def is_default(path):
    relative = path.relative_to(stamps.ROOT) if path.is_relative_to(stamps.ROOT) else None
    return relative is not None and relative.parts[0] in FOLDERS and not path.name.endswith("_test.cpp")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(stamps.ROOT / "build" / "release"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if shutil.which(TIDY) is None:
        sys.exit(f"tidy: {TIDY} is not installed")

    commands = load_commands(options.build)
    paths = [Path(name).resolve() for name in options.files] or sorted(filter(is_default, commands))
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    base = version + (stamps.ROOT / ".clang-tidy").read_text() + " ".join(EXTRA)
    ran, failed = stamps.run_all(
        options.jobs,
        lambda path: ([TIDY, "--quiet", "-p", options.build, *EXTRA, str(path)], None),
        lambda path: base + commands.get(path, ""),
        paths,
    )
    print(f"tidy: {len(paths)} files, {ran} checked now, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
