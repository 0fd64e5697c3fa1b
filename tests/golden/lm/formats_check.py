"""Checks our readers and block decoders against PyPI `gguf` and `safetensors` on the tiny models."""

import gguf
import numpy as np
from safetensors import safe_open

import safetensors_file
from gguf_file import GgufFile


def check_gguf(path):
    """Every tensor as `gguf` dequantizes it, to float32 rounding."""
    ours = GgufFile(path).tensors
    for tensor in gguf.GGUFReader(path).tensors:
        expected = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        values = ours.pop(tensor.name).values()
        if values.shape != expected.shape or np.abs(values - expected).max() > 1e-6 * np.abs(expected).max():
            raise ValueError(f"{path}: {tensor.name} ({tensor.tensor_type.name}) differs from gguf's")
    if ours:
        raise ValueError(f"{path}: gguf does not see {sorted(ours)}")


def check_safetensors(path):
    """Every tensor as `safetensors` reads it; NumPy cannot show it bfloat16, whose shapes alone are compared."""
    ours = safetensors_file.load(path)
    with safe_open(path, framework="numpy") as file:
        if sorted(file.keys()) != sorted(ours):
            raise ValueError(f"{path}: names differ")
        for name in file.keys():
            view = file.get_slice(name)
            same = list(ours[name].shape) == view.get_shape()
            if view.get_dtype() != "BF16":
                same = same and np.array_equal(ours[name], file.get_tensor(name))
            if not same:
                raise ValueError(f"{path}: {name} differs from safetensors'")


def run(models):
    for path in sorted(models.glob("*.gguf")):
        check_gguf(path)
    for path in sorted(models.glob("*/*.safetensors")):
        check_safetensors(path)
