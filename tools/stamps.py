"""Remembers which files passed a check, by content, so that a second run checks only what changed.

A stamp is an empty file named by the hash of everything the verdict depends on: the tool, its settings, the file, and
every header of the project that the file includes, directly or not. Stamps live in PLIMSOLL_CHECK_CACHE (default
~/.cache/plimsoll-check); deleting the folder only costs time.
"""

import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
INCLUDE_FOLDERS = (ROOT / "include", ROOT / "src", ROOT / "tests")


def cache_folder():
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plimsoll-check"
    return Path(os.environ.get("PLIMSOLL_CHECK_CACHE") or default)


@lru_cache(maxsize=None)
def direct_includes(path):
    """The project's own files that `path` includes by name."""
    found = []
    for name in INCLUDE.findall(path.read_bytes()):
        for folder in (path.parent, *INCLUDE_FOLDERS):
            candidate = folder / os.fsdecode(name)
            if candidate.is_file():
                found.append(candidate.resolve())
                break
    return found


def closure(path):
    """`path` and everything of the project that it includes, sorted."""
    seen, waiting = set(), [path.resolve()]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += direct_includes(current)
    return sorted(seen)


def stamp_path(settings, path):
    """Where the stamp of `path` lies, given a string that names tool, version and settings."""
    digest = hashlib.sha256(settings.replace(str(ROOT), "").encode())
    for file in closure(path):
        digest.update(os.fsencode(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file))
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return cache_folder() / digest.hexdigest()


def run_all(jobs, command_of, settings_of, paths):
    """Runs command_of(path) for each path without a stamp, and prints what those that fail say, as they fail.

    A command is a pair (arguments, text for its standard input or None). Returns (number run, number failed).
    """

    def run_one(path):
        stamp = stamp_path(settings_of(path), path)
        if stamp.exists():
            return None
        arguments, text = command_of(path)
        result = subprocess.run(arguments, input=text, cwd=ROOT, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
            return True
        said = f"{result.stdout}{result.stderr}" or f"{arguments[0]} exited {result.returncode} on {path}\n"
        print(said, end="", file=sys.stderr, flush=True)
        return False

    with ThreadPoolExecutor(jobs) as pool:
        outcomes = [outcome for outcome in pool.map(run_one, paths) if outcome is not None]
    return len(outcomes), outcomes.count(False)
