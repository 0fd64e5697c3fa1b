"""Writes golden vectors of GGUF's block formats: <format>.blocks (raw bytes) and <format>.values (float32, little endian).

The values come from the `gguf` package's NumPy dequantization, an implementation independent of Plimsoll's. Run with
gguf 0.17 or later and NumPy: python generate.py
"""
import pathlib

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T
from gguf.quants import dequantize

# Byte offsets of the float16 scales in a block; everything else in a block is arbitrary bits.
HALVES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208]}
SPECIAL = [0.0, -0.0, 5.9604645e-08, -6.0e-05, 65504.0, -1.0]  # zeros, subnormals, the largest


def main():
    rng = np.random.default_rng(20240607)
    folder = pathlib.Path(__file__).parent
    for kind, offsets in HALVES.items():
        values, size = GGML_QUANT_SIZES[kind]
        count = 64 if values == 32 else 12
        blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
        for offset in offsets:
            scale = rng.normal(0, 0.05, count).astype(np.float16)
            scale[: len(SPECIAL)] = rng.permutation(np.array(SPECIAL, dtype=np.float16))
            blocks[:, offset : offset + 2] = scale.view(np.uint8).reshape(count, 2)
        name = kind.name.lower()
        (folder / f"{name}.blocks").write_bytes(blocks.tobytes())
        (folder / f"{name}.values").write_bytes(dequantize(blocks, kind).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
