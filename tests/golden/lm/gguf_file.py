"""A reader of GGUF v2 and v3, from the format's definition: metadata as Python values, tensors as raw bytes."""

import struct
from dataclasses import dataclass
from math import prod

import numpy as np

from quantization import NAMES, TYPES, dequantize

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class _Cursor:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def scalar(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        length = self.scalar("Q")
        self.at += length
        return bytes(self.data[self.at - length : self.at]).decode("utf-8")

    def value(self, kind):
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            element, count = self.scalar("I"), self.scalar("Q")
            return [self.value(element) for _ in range(count)]
        return self.scalar(_SCALARS[kind])


@dataclass
class Tensor:
    type: str
    shape: tuple  # row-major: the file's dimensions reversed
    raw: np.ndarray

    def values(self):
        return dequantize(self.raw, self.type, self.shape)


class GgufFile:
    """`metadata`: key -> value; `tensors`: name -> Tensor, on a mapping of the file."""

    def __init__(self, path):
        data = np.memmap(path, np.uint8, "r")
        cursor = _Cursor(data)
        if cursor.scalar("I") != 0x46554747 or cursor.scalar("I") not in (2, 3):
            raise ValueError(f"{path} is not GGUF v2 or v3")
        tensors, entries = cursor.scalar("Q"), cursor.scalar("Q")
        self.metadata = {}
        for _ in range(entries):
            key = cursor.string()
            self.metadata[key] = cursor.value(cursor.scalar("I"))
        directory = [self._tensor_entry(cursor) for _ in range(tensors)]
        alignment = self.metadata.get("general.alignment", 32)
        start = -(-cursor.at // alignment) * alignment
        self.tensors = {}
        for name, shape, kind, offset in directory:
            _, values, size = TYPES[kind]
            begin = start + offset
            self.tensors[name] = Tensor(kind, shape, data[begin : begin + prod(shape) // values * size])

    @staticmethod
    def _tensor_entry(cursor):
        name = cursor.string()
        shape = tuple(cursor.scalar("Q") for _ in range(cursor.scalar("I")))[::-1]
        return name, shape, NAMES[cursor.scalar("I")], cursor.scalar("Q")
