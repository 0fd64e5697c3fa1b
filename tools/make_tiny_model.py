#!/usr/bin/env python3
"""Writes a tiny Llama model of random weights and a byte tokenizer as GGUF: the main job without a download.

usage: make_tiny_model.py FILE

The same file every time. Rows of the output head that stand for unprintable bytes are zero, so that greedy decoding
prints readable, if meaningless, text.
"""

import random
import struct
import sys

LAYERS, WIDTH, HEADS, KV_HEADS, HIDDEN, CONTEXT = 4, 128, 4, 2, 256, 2048
SEED = 20
SPECIAL = ["<unk>", "<s>", "</s>"]
VOCABULARY = len(SPECIAL) + 256
ALIGNMENT = 32

# GGUF's type numbers: metadata values, token kinds, tensor elements.
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
UNKNOWN, CONTROL, BYTE = 2, 3, 6
TENSOR_F32 = 0


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind, item):
    if kind == STRING:
        return string(item)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], item)


def field(key, kind, item):
    return string(key) + struct.pack("<I", kind) + value(kind, item)


def array_field(key, kind, items):
    body = b"".join(value(kind, item) for item in items)
    return string(key) + struct.pack("<IIQ", ARRAY, kind, len(items)) + body


def tokenizer_fields():
    tokens = SPECIAL + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    return [
        field("tokenizer.ggml.model", STRING, "llama"),
        array_field("tokenizer.ggml.tokens", STRING, tokens),
        array_field("tokenizer.ggml.scores", F32, [0.0] * len(tokens)),
        array_field("tokenizer.ggml.token_type", I32, kinds),
        field("tokenizer.ggml.unknown_token_id", U32, 0),
        field("tokenizer.ggml.bos_token_id", U32, 1),
        field("tokenizer.ggml.eos_token_id", U32, 2),
        field("tokenizer.ggml.add_bos_token", BOOL, True),
        field("tokenizer.ggml.add_space_prefix", BOOL, False),
    ]


def model_fields():
    return [
        field("general.architecture", STRING, "llama"),
        field("general.name", STRING, "tiny random model"),
        field("general.alignment", U32, ALIGNMENT),
        field("llama.context_length", U32, CONTEXT),
        field("llama.embedding_length", U32, WIDTH),
        field("llama.block_count", U32, LAYERS),
        field("llama.feed_forward_length", U32, HIDDEN),
        field("llama.attention.head_count", U32, HEADS),
        field("llama.attention.head_count_kv", U32, KV_HEADS),
        field("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        field("llama.rope.dimension_count", U32, WIDTH // HEADS),
        field("llama.rope.freq_base", F32, 10000.0),
        field("llama.vocab_size", U32, VOCABULARY),
    ]


class Weights:
    """Collects tensors: GGUF lists dimensions from the innermost, so a matrix [rows, columns] is (columns, rows)."""

    def __init__(self):
        self.random = random.Random(SEED)
        self.infos, self.data = [], b""

    def add(self, name, dimensions, values):
        info = string(name) + struct.pack("<I", len(dimensions))
        info += struct.pack(f"<{len(dimensions)}Q", *dimensions)
        self.infos.append(info + struct.pack("<IQ", TENSOR_F32, len(self.data)))
        self.data += struct.pack(f"<{len(values)}f", *values)
        self.data += bytes(-len(self.data) % ALIGNMENT)

    def matrix(self, name, rows, columns, keep_row=lambda row: True):
        scale = columns**-0.5
        values = []
        for row in range(rows):
            drawn = [self.random.gauss(0.0, scale) for _ in range(columns)]
            values += drawn if keep_row(row) else [0.0] * columns
        self.add(name, (columns, rows), values)

    def norm(self, name):
        self.add(name, (WIDTH,), [1.0] * WIDTH)


def make_weights():
    weights, kv_width = Weights(), WIDTH // HEADS * KV_HEADS
    weights.matrix("token_embd.weight", VOCABULARY, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        weights.norm(block + "attn_norm.weight")
        weights.matrix(block + "attn_q.weight", WIDTH, WIDTH)
        weights.matrix(block + "attn_k.weight", kv_width, WIDTH)
        weights.matrix(block + "attn_v.weight", kv_width, WIDTH)
        weights.matrix(block + "attn_output.weight", WIDTH, WIDTH)
        weights.norm(block + "ffn_norm.weight")
        weights.matrix(block + "ffn_gate.weight", HIDDEN, WIDTH)
        weights.matrix(block + "ffn_up.weight", HIDDEN, WIDTH)
        weights.matrix(block + "ffn_down.weight", WIDTH, HIDDEN)
    weights.norm("output_norm.weight")
    printable = range(len(SPECIAL) + 32, len(SPECIAL) + 127)
    weights.matrix("output.weight", VOCABULARY, WIDTH, lambda row: row in printable)
    return weights


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    fields, weights = model_fields() + tokenizer_fields(), make_weights()
    header = b"GGUF" + struct.pack("<IQQ", 3, len(weights.infos), len(fields)) + b"".join(fields + weights.infos)
    with open(sys.argv[1], "wb") as file:
        file.write(header + bytes(-len(header) % ALIGNMENT) + weights.data)


if __name__ == "__main__":
    main()
