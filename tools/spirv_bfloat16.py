#!/usr/bin/env python3
"""Turns float16 cooperative matrices into bfloat16 ones, for compilers that know no bfloat16.

usage: spirv_bfloat16.py IN.spv OUT.spv

The module's 16-bit float type becomes bfloat16 (SPV_KHR_bfloat16). That is right only where matrices are loaded as bits
and multiplied, so any other use of the type is an error.
"""

import struct
import sys
from pathlib import Path

OP_EXTENSION, OP_CAPABILITY, OP_TYPE_FLOAT, OP_TYPE_COOPERATIVE_MATRIX = 10, 17, 22, 4456
# Instructions that may name a type in their second operand: OpTypeVector, OpTypeArray and OpTypeRuntimeArray in their
# first after the result, OpTypePointer after its storage class. All others name their result's type first.
TYPE_OPERANDS = {23: 2, 28: 2, 29: 2, 32: 3}
CAPABILITY_FLOAT16, CAPABILITY_BFLOAT16, CAPABILITY_BFLOAT16_MATRICES = 9, 5116, 5118
ENCODING_BFLOAT16 = 0
HEADER_WORDS = 5


def instructions(words):
    at = HEADER_WORDS
    while at < len(words):
        count = words[at] >> 16
        yield words[at] & 0xFFFF, words[at + 1 : at + count]
        at += count


def instruction(opcode, *operands):
    return [(len(operands) + 1) << 16 | opcode, *operands]


def extension(name):
    text = name.encode() + b"\0" * (4 - len(name) % 4)
    return instruction(OP_EXTENSION, *struct.unpack(f"<{len(text) // 4}I", text))


def check_use(half, opcode, operands):
    if opcode == OP_TYPE_COOPERATIVE_MATRIX:
        return
    place = TYPE_OPERANDS.get(opcode, 1) - 1
    if len(operands) > place and operands[place] == half:
        raise SystemExit(f"spirv_bfloat16: the 16-bit float is used outside of matrices, by opcode {opcode}")


def rewrite(words):
    out, half, extended = list(words[:HEADER_WORDS]), None, False
    for opcode, operands in instructions(words):
        if opcode == OP_CAPABILITY and operands[0] == CAPABILITY_FLOAT16:
            out += instruction(opcode, CAPABILITY_BFLOAT16) + instruction(opcode, CAPABILITY_BFLOAT16_MATRICES)
            continue
        if opcode != OP_CAPABILITY and not extended:
            out += extension("SPV_KHR_bfloat16")
            extended = True
        if opcode == OP_TYPE_FLOAT and operands[1] == 16:
            half = operands[0]
            operands = [*operands, ENCODING_BFLOAT16]
        elif half is not None:
            check_use(half, opcode, operands)
        out += instruction(opcode, *operands)
    if half is None:
        raise SystemExit("spirv_bfloat16: the module has no 16-bit float")
    return out


def main(arguments):
    source, target = map(Path, arguments)
    code = source.read_bytes()
    words = rewrite(struct.unpack(f"<{len(code) // 4}I", code))
    target.write_bytes(struct.pack(f"<{len(words)}I", *words))


if __name__ == "__main__":
    main(sys.argv[1:])
