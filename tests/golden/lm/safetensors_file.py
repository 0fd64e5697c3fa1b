"""Reads and writes safetensors, from the format's definition: NumPy has no bfloat16, so tensors carry their type."""

import json
import struct

import numpy as np

from quantization import bfloat16_to_float32, float32_to_bfloat16

_NUMPY = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "U32": np.uint32}


def encode(values, kind):
    """Float values -> the stored array of type F32, F16 or BF16 (as its bits)."""
    return float32_to_bfloat16(values) if kind == "BF16" else np.asarray(values, _NUMPY[kind])


def decode(stored, kind):
    return bfloat16_to_float32(stored) if kind == "BF16" else stored


def rounded(values, kind):
    """The float32 values that survive storage as `kind`."""
    return decode(encode(values, kind), kind).astype(np.float32)


def save(path, tensors):
    """`tensors`: name -> (kind, stored array). The header is padded with spaces to 8 bytes."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(tensors):
        kind, stored = tensors[name]
        header[name] = {"dtype": kind, "shape": list(stored.shape), "data_offsets": [offset, offset + stored.nbytes]}
        offset += stored.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(tensors):
            file.write(np.ascontiguousarray(tensors[name][1]).tobytes())


def load(path):
    """name -> array: float32 or float16 values, or uint32 words."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    result = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        stored = np.frombuffer(data[begin:end], _NUMPY[entry["dtype"]]).reshape(entry["shape"])
        result[name] = decode(stored, entry["dtype"])
    return result
