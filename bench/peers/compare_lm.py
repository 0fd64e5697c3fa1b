#!/usr/bin/env python3
"""Language-model speed beside llama.cpp: same file, same threads, in turn (A B A B ...), medians, a Markdown table.

    bench/peers/prepare.sh
    python3 bench/peers/compare_lm.py --model SmolLM2-135M-Instruct.Q4_1.gguf --threads 2

Both sides process a prompt in one go, then generate behind it, greedily or with given tokens, once to warm up and
`--repeats` times measured; each turn is a fresh process, so neither side's threads or memory meet the other's.
"""

import argparse
import json
import os
import platform
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@dataclass
class Side:
    """One program: tokens per second of every turn, and what a reader needs to know of it."""

    name: str
    prefill: list = field(default_factory=list)
    decode: list = field(default_factory=list)
    version: str = ""
    dtype: str = ""
    instructions: str = ""


def run_json(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def run_plimsoll(side, options):
    command = [options.plimsoll, "bench", "lm", "--model", options.model, "--prompt-tokens", options.prompt_tokens,
               "--generate-tokens", options.generate_tokens, "--repeats", options.repeats, "--threads", options.threads,
               "--dtype", options.dtype, "--device", "cpu", "--json"]
    result = run_json(command)
    side.prefill.append(result["prefill_tokens_per_second"])
    side.decode.append(result["decode_tokens_per_second"])
    side.dtype = f"activations {result.get('dtype', options.dtype)}"
    side.instructions = result.get("instructions", "chosen at run time")


def run_llama(side, options):
    result = run_json([options.peers / "bin" / "python", HERE / "llama_cpp_worker.py", options.model,
                       options.prompt_tokens, options.generate_tokens, options.repeats, options.threads])
    side.prefill.append(median(result["prefill"]))
    side.decode.append(median(result["decode"]))
    side.version = f"llama-cpp-python {result['version']}"
    side.dtype = "activations float32, int8 blocks in products; weights: " + ", ".join(result["weights"])
    flags = [entry.split("=")[0].strip() for entry in result["system"].split("|") if entry.strip().endswith("= 1")]
    side.instructions = ", ".join(flag.removeprefix("CPU : ") for flag in flags)


def spread(values):
    return f"{median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def table(ours, theirs, options):
    rows = [
        "| program | version | dtype | instruction sets | prefill, tokens/s | decode, tokens/s |",
        "|---|---|---|---|---:|---:|",
    ]
    for side in (ours, theirs):
        rows.append(f"| {side.name} | {side.version} | {side.dtype} | {side.instructions} | {spread(side.prefill)} | "
                    f"{spread(side.decode)} |")
    prefill = median(ours.prefill) / median(theirs.prefill)
    decode = median(ours.decode) / median(theirs.decode)
    rows.append(f"| ratio | | | | {prefill:.2f} | {decode:.2f} |")
    heading = (
        f"{options.model.name} on {processor()}, {options.threads} threads; prompt {options.prompt_tokens} tokens, "
        f"{options.generate_tokens} generated; {options.rounds} turns each, alternating, the median of "
        f"{options.repeats} repeats a turn; median (least to most) over the turns."
    )
    return "\n".join([heading, "", *rows])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--plimsoll", type=Path, default=ROOT / "build/release/bin/plimsoll")
    parser.add_argument("--peers", type=Path, default=ROOT / "build/peers", help="what prepare.sh made")
    parser.add_argument("--dtype", default="auto", help="plimsoll's activations")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--generate-tokens", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def main():
    options = parse()
    ours, theirs = Side("plimsoll"), Side("llama.cpp")
    version = subprocess.run([options.plimsoll, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    ours.version = version.stdout.strip().removeprefix("plimsoll ")
    for _ in range(options.rounds):
        run_plimsoll(ours, options)
        run_llama(theirs, options)
    print(table(ours, theirs, options))


if __name__ == "__main__":
    main()
