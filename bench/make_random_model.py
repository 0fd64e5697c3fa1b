#!/usr/bin/env python3
"""Writes an affine-quantized Qwen3 of random weights, to measure the speed of a size that nobody has to download.

usage: make_random_model.py OUT --tokenizer FOLDER [--layers 36 --hidden 4096 --vocabulary 151936 ...]

Needs NumPy. The tokenizer comes from any model folder: speed does not depend on which tokens are made. The default is the
shape of Qwen3-8B: 4 bits, groups of 64, about 4.6 GB.
"""

import argparse
import json
import shutil
import struct
from pathlib import Path

import numpy as np

HEAD_DIM = 128
BITS = 4
GROUP = 64


def quantized(name, rows, columns):
    """The three tensors of a quantized matrix: names, dtypes, shapes."""
    yield f"{name}.weight", "U32", (rows, columns * BITS // 32)
    yield f"{name}.scales", "BF16", (rows, columns // GROUP)
    yield f"{name}.biases", "BF16", (rows, columns // GROUP)


def tensors(options):
    hidden, intermediate = options.hidden, options.intermediate
    queries, keys = options.heads * HEAD_DIM, options.kv_heads * HEAD_DIM
    yield from quantized("model.embed_tokens", options.vocabulary, hidden)
    yield from quantized("lm_head", options.vocabulary, hidden)
    yield "model.norm.weight", "BF16", (hidden,)
    for layer in range(options.layers):
        prefix = f"model.layers.{layer}"
        yield f"{prefix}.input_layernorm.weight", "BF16", (hidden,)
        yield f"{prefix}.post_attention_layernorm.weight", "BF16", (hidden,)
        yield f"{prefix}.self_attn.q_norm.weight", "BF16", (HEAD_DIM,)
        yield f"{prefix}.self_attn.k_norm.weight", "BF16", (HEAD_DIM,)
        yield from quantized(f"{prefix}.self_attn.q_proj", queries, hidden)
        yield from quantized(f"{prefix}.self_attn.k_proj", keys, hidden)
        yield from quantized(f"{prefix}.self_attn.v_proj", keys, hidden)
        yield from quantized(f"{prefix}.self_attn.o_proj", hidden, queries)
        yield from quantized(f"{prefix}.mlp.gate_proj", intermediate, hidden)
        yield from quantized(f"{prefix}.mlp.up_proj", intermediate, hidden)
        yield from quantized(f"{prefix}.mlp.down_proj", hidden, intermediate)


def values(random, name, dtype, shape):
    """Scales and biases that keep activations near one; norms of one."""
    if dtype == "U32":
        return random.integers(0, 2**32, shape, dtype=np.uint32)
    if name.endswith(".scales"):
        real = np.full(shape, 0.002, np.float32)
    elif name.endswith(".biases"):
        real = np.full(shape, -0.015, np.float32)
    else:
        real = np.ones(shape, np.float32)
    return (real.view(np.uint32) >> 16).astype(np.uint16)


def write_weights(path, listed):
    header, offset = {}, 0
    for name, dtype, shape in listed:
        size = int(np.prod(shape)) * (4 if dtype == "U32" else 2)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    random = np.random.default_rng(0)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, dtype, shape in listed:
            file.write(values(random, name, dtype, shape).tobytes())


def write_tokenizer(options):
    """The given tokenizer, with a name for every token that the model can draw."""
    tokenizer = json.loads((options.tokenizer / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    first = 1 + max([*vocabulary.values(), *(token["id"] for token in tokenizer["added_tokens"])])
    vocabulary.update({f"random{number}": number for number in range(first, options.vocabulary)})
    (options.out / "tokenizer.json").write_text(json.dumps(tokenizer))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    defaults = {"layers": 36, "hidden": 4096, "intermediate": 12288, "heads": 32, "kv-heads": 8, "vocabulary": 151936}
    for name, value in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    config = json.loads((options.tokenizer / "config.json").read_text())
    config.update(
        hidden_size=options.hidden,
        intermediate_size=options.intermediate,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.kv_heads,
        head_dim=HEAD_DIM,
        vocab_size=options.vocabulary,
        tie_word_embeddings=False,
        max_position_embeddings=32768,
        quantization={"group_size": GROUP, "bits": BITS},
    )
    options.out.mkdir(parents=True, exist_ok=True)
    for file in ("tokenizer_config.json", "generation_config.json"):
        if (options.tokenizer / file).exists():
            shutil.copy(options.tokenizer / file, options.out / file)
    write_tokenizer(options)
    (options.out / "config.json").write_text(json.dumps(config, indent=2))
    write_weights(options.out / "model.safetensors", list(tensors(options)))


if __name__ == "__main__":
    main()
