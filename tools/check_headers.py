#!/usr/bin/env python3
"""Compiles every header alone, so that each includes what it uses.

usage: check_headers.py [--jobs N]

Headers that end in -inl.h are left out: Highway includes them once per target, inside a file that prepares it.
"""

import argparse
import os
import subprocess
import sys

import stamps

COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Iinclude", "-Isrc", "-Itests"]
# Folders that CMake tells the tests.
FLAGS += ['-DPLIMSOLL_TESTS_DIR="tests"', '-DPLIMSOLL_TOKENIZER_GOLDEN="tests/golden/tokenizer"', "-x", "c++", "-"]


def headers():
    for folder in ("include", "src", "tests"):
        for path in sorted((stamps.ROOT / folder).rglob("*.h")):
            if not path.name.endswith("-inl.h"):
                yield path


def command_of(path):
    return [COMPILER, *FLAGS], f'#include "{path}"\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    jobs = parser.parse_args().jobs
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    settings = version + " ".join(FLAGS)
    paths = list(headers())
    ran, failed = stamps.run_all(jobs, command_of, lambda path: settings, paths)
    print(f"headers: {len(paths)} of them, {ran} compiled now, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
