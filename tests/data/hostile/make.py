#!/usr/bin/env python3
"""Writes the hostile model files beside this script, and the list of what must be said about each.

Each file is small and lies in one way. expected.tsv names, per file, a text that the refusal must contain: the field at
fault. valid/ holds files that are odd but good. All of them also seed the fuzzers. Run without arguments; the output is
the same on every machine.
"""

import json
import struct
from pathlib import Path

HERE = Path(__file__).parent

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
GGML_F32, GGML_Q4_0, GGML_Q4_K, GGML_IQ2_XS = 0, 2, 12, 17


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return u64(len(data)) + data


def key(name, kind, payload):
    return text(name) + u32(kind) + payload


def array(name, kind, count, payload):
    return key(name, ARRAY, u32(kind) + u64(count) + payload)


def tensor(name, dims, kind=GGML_F32, offset=0):
    return text(name) + u32(len(dims)) + b"".join(map(u64, dims)) + u32(kind) + u64(offset)


def gguf(keys=(), tensors=(), data=b"", *, version=3, n_keys=None, n_tensors=None, magic=b"GGUF", alignment=32):
    head = magic + u32(version)
    head += u64(len(tensors) if n_tensors is None else n_tensors)
    head += u64(len(keys) if n_keys is None else n_keys)
    head += b"".join(keys) + b"".join(tensors)
    return head + b"\0" * (-len(head) % alignment) + data


ARCHITECTURE = key("general.architecture", STRING, text("llama"))
GOOD = gguf([ARCHITECTURE], [tensor("w", [4])], b"\0" * 16)

GGUF_CASES = {
    "empty": (b"", "header"),
    "magic": (gguf(magic=b"GGML"), "magic"),
    "version_0": (gguf(version=0), "version"),
    "version_1": (gguf(version=1), "version"),
    "version_99": (gguf(version=99), "version"),
    "big_endian": (b"GGUF" + struct.pack(">I", 3) + struct.pack(">Q", 1) * 2, "big-endian"),
    "truncated_header": (GOOD[:15], "header tensor count"),
    "truncated_key": (GOOD[:40], "metadata key"),
    "truncated_value": (GOOD[:58], "metadata key 'general.architecture'"),
    "truncated_tensor": (gguf([ARCHITECTURE], [tensor("w", [4])[:20]]), "tensor 'w'"),
    "truncated_data": (GOOD[:-1], "tensor 'w'"),
    "no_data": (gguf([], [tensor("w", [4])]), "tensor 'w'"),
    "key_count_huge": (gguf([ARCHITECTURE], n_keys=2**63), "metadata count"),
    "key_count_large": (gguf([ARCHITECTURE], n_keys=60000), "metadata count"),
    "key_count_off_by_one": (gguf([ARCHITECTURE], n_keys=2), "metadata"),
    "tensor_count_huge": (gguf([ARCHITECTURE], n_tensors=2**64 - 1), "tensor count"),
    "tensor_count_large": (gguf([ARCHITECTURE], n_tensors=1000000), "tensor count"),
    "key_empty": (gguf([key("", U32, u32(1))]), "length 0"),
    "key_length_2_63": (gguf([u64(2**63) + b"abc" + u32(U32) + u32(1)]), "metadata key"),
    "key_too_long": (gguf([key("k" * 65536, U8, b"\0")]), "65536 bytes"),
    "key_twice": (gguf([ARCHITECTURE, ARCHITECTURE]), "metadata key 'general.architecture': is given twice"),
    "value_type_unknown": (gguf([key("a.b", 13, u64(0))]), "metadata key 'a.b': value type 13"),
    "string_length_2_63": (gguf([key("a.b", STRING, u64(2**63) + b"abc")]), "metadata key 'a.b': string length"),
    "string_length_max": (gguf([key("a.b", STRING, u64(2**64 - 1) + b"abc")]), "metadata key 'a.b': string length"),
    "bool_2": (gguf([key("a.b", BOOL, b"\2")]), "metadata key 'a.b': expected a bool"),
    "array_count_2_63": (gguf([array("a.b", U32, 2**63, b"")]), "metadata key 'a.b'"),
    "array_count_wraps": (gguf([array("a.b", U64, 2**61 + 1, b"\0" * 8)]), "metadata key 'a.b'"),
    "array_of_strings_short": (gguf([array("a.b", STRING, 6, text("x") * 2)]), "metadata key 'a.b'"),
    "array_string_length": (gguf([array("a.b", STRING, 1, u64(2**62))]), "metadata key 'a.b': string length"),
    "array_of_arrays": (gguf([array("a.b", ARRAY, 1, u32(U8) + u64(0))]), "metadata key 'a.b': arrays of arrays"),
    "array_of_unknown": (gguf([array("a.b", 77, 1, b"\0" * 8)]), "metadata key 'a.b': value type 77"),
    "array_of_bools_2": (gguf([array("a.b", BOOL, 3, b"\0\1\2")]), "metadata key 'a.b': expected a bool"),
    "alignment_i32": (gguf([key("general.alignment", I32, u32(32))]), "'general.alignment': expected u32, found i32"),
    "alignment_0": (gguf([key("general.alignment", U32, u32(0))]), "'general.alignment': 0"),
    "alignment_24": (gguf([key("general.alignment", U32, u32(24))]), "'general.alignment': 24"),
    "alignment_4": (gguf([key("general.alignment", U32, u32(4))]), "'general.alignment': 4"),
    "alignment_2_31": (
        gguf([key("general.alignment", U32, u32(2**31))], [tensor("w", [4])], b"\0" * 16),
        "tensor 'w'",
    ),
    "tensor_no_name_zero_dim": (gguf([], [tensor("", [1, 0])]), "tensor name"),
    "tensor_name_too_long": (gguf([], [tensor("w" * 65, [4])], b"\0" * 16), "name of 65 bytes"),
    "tensor_name_length": (gguf([], [u64(2**63) + b"w" * 40]), "tensor name"),
    "tensor_twice": (
        gguf([], [tensor("w", [4]), tensor("w", [4], offset=32)], b"\0" * 48),
        "tensor 'w': is given twice",
    ),
    "n_dims_million": (
        gguf([], [text("w") + u32(1000000) + b"\0" * 64]),
        "tensor 'w': n_dims is 1000000",
    ),
    "n_dims_5": (gguf([], [tensor("w", [1] * 5)], b"\0" * 4), "tensor 'w': n_dims is 5"),
    "dims_negative": (gguf([], [tensor("w", [2**64 - 1])], b"\0" * 16), "tensor 'w': dimension 0"),
    "dims_overflow": (gguf([], [tensor("w", [2**31 - 1] * 4)], b"\0" * 16), "tensor 'w'"),
    "dims_wrap_to_small": (gguf([], [tensor("w", [2**31 - 1, 2**31 - 1, 4, 1])], b"\0" * 16), "tensor 'w'"),
    "type_unknown": (gguf([], [tensor("w", [4], 1000)], b"\0" * 16), "tensor 'w': type number 1000"),
    "type_removed": (gguf([], [tensor("w", [4], 4)], b"\0" * 16), "tensor 'w': type number 4"),
    "rows_not_blocks": (gguf([], [tensor("w", [33], GGML_Q4_0)], b"\0" * 36), "tensor 'w': rows of 33"),
    "rows_not_superblocks": (gguf([], [tensor("w", [32, 8], GGML_Q4_K)], b"\0" * 144), "tensor 'w': rows of 32"),
    "offset_unaligned": (gguf([], [tensor("w", [4], offset=4)], b"\0" * 32), "tensor 'w': offset 4"),
    "offset_beyond": (gguf([], [tensor("w", [4], offset=4096)], b"\0" * 16), "tensor 'w'"),
    "offset_wraps": (gguf([], [tensor("w", [4], offset=2**64 - 32)], b"\0" * 16), "tensor 'w'"),
    "overlap": (
        gguf([], [tensor("a", [16]), tensor("b", [16], offset=32)], b"\0" * 96),
        "tensor 'b': overlaps tensor 'a'",
    ),
    "same_place": (gguf([], [tensor("a", [4]), tensor("b", [4])], b"\0" * 16), "overlaps tensor"),
    "name_with_escape": (gguf([], [tensor("\x1b[31mw\n", [4], 1000)], b"\0" * 16), "tensor '\\x1b[31mw\\n'"),
    "name_not_utf8": (gguf([], [tensor(b"\xff\xfe", [4], 1000)], b"\0" * 16), "tensor '\\xff\\xfe'"),
}


def safetensors(header, data=b"", length=None):
    raw = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return u64(len(raw) if length is None else length) + raw + data


def entry(shape, offsets, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def one(shape, offsets, data, dtype="F32"):
    return safetensors({"w": entry(shape, offsets, dtype)}, b"\0" * data)


MATRIX = [1000, 1000]
RAW = b'{"w":{"dtype":"F32","shape":%s,"data_offsets":[0,4]}}'

SAFETENSORS_CASES = {
    "empty": (b"", "header length"),
    "short_length": (b"\2\0\0", "header length"),
    "header_longer_than_file": (safetensors({}, length=1000), "header"),
    "header_length_2_63": (safetensors({}, length=2**63), "header length"),
    "header_length_max": (safetensors({}, length=2**64 - 1), "header length"),
    "header_empty": (safetensors(b""), "JSON"),
    "header_not_json": (safetensors(b"{w:1}"), "JSON"),
    "header_cut": (safetensors(b'{"w":{"dtype":"F32"'), "JSON"),
    "header_array": (safetensors([]), "header"),
    "header_deep": (safetensors(b'{"w":' * 50 + b"1" + b"}" * 50), "nested deeper"),
    "header_not_utf8": (safetensors(b'{"\xff":1}'), "JSON"),
    "tensor_not_object": (safetensors({"w": 1}), "'w'"),
    "dtype_unknown": (one([1], [0, 4], 4, "F31"), "tensor 'w': dtype 'F31'"),
    "dtype_number": (one([1], [0, 4], 4, 7), "'w.dtype'"),
    "dtype_missing": (safetensors({"w": {"shape": [], "data_offsets": [0, 4]}}, b"\0" * 4), "dtype is missing"),
    "shape_missing": (safetensors({"w": {"dtype": "F32", "data_offsets": [0, 4]}}, b"\0" * 4), "shape is missing"),
    "offsets_missing": (safetensors({"w": {"dtype": "F32", "shape": [1]}}, b"\0" * 4), "data_offsets is missing"),
    "offsets_too_few_bytes": (one(MATRIX, [0, 4], 4), "tensor 'w': data_offsets"),
    "offsets_beyond_file": (one(MATRIX, [0, 4000000], 4), "tensor 'w': data_offsets"),
    "offsets_reversed": (one([2], [8, 0], 8), "tensor 'w': data_offsets"),
    "offsets_one_element": (one([1], [4], 4), "tensor 'w': data_offsets"),
    "offsets_three_elements": (one([1], [0, 4, 8], 8), "tensor 'w': data_offsets"),
    "offsets_negative": (one([1], [-4, 0], 4), "'w.data_offsets'"),
    "offsets_max": (one([1], [2**64 - 4, 2**64 - 1], 4), "tensor 'w': data_offsets"),
    "offsets_text": (one([1], ["0", "4"], 4), "'w.data_offsets'"),
    "offsets_fraction": (one([1], [0, 4.5], 4), "'w.data_offsets'"),
    "overlap": (safetensors({"a": entry([2], [0, 8]), "b": entry([2], [4, 12])}, b"\0" * 12), "tensor 'b': data_offsets"),
    "gap": (safetensors({"a": entry([1], [0, 4]), "b": entry([1], [8, 12])}, b"\0" * 12), "tensor 'b': data_offsets"),
    "leftover": (one([1], [0, 4], 5), "data"),
    "truncated_data": (one([1], [0, 4], 3), "tensor 'w': data_offsets"),
    "duplicate_key": (safetensors(b'{"w":%b,"w":%b}' % ((RAW[5:-1] % b"[1]",) * 2), b"\0" * 4), "duplicate key 'w'"),
    "duplicate_field": (safetensors(RAW.replace(b'"shape"', b'"dtype":"F32","shape"') % b"[1]", b"\0" * 4), "duplicate key 'dtype'"),
    "shape_negative": (safetensors(RAW % b"[-1]", b"\0" * 4), "'w.shape'"),
    "shape_2_64": (safetensors(RAW % b"[18446744073709551616]", b"\0" * 4), "'w.shape'"),
    "shape_2_32": (safetensors(RAW % b"[4294967296]", b"\0" * 4), "tensor 'w': shape"),
    "shape_overflow": (safetensors(RAW % b"[2147483647,2147483647,2147483647]", b"\0" * 4), "tensor 'w'"),
    "shape_wraps_to_4": (safetensors(RAW % b"[1073741824,1073741824,16,1]", b"\0" * 4), "tensor 'w'"),
    "shape_not_array": (safetensors(RAW % b"1", b"\0" * 4), "'w.shape'"),
    "shape_fraction": (safetensors(RAW % b"[1.0]", b"\0" * 4), "'w.shape'"),
    "shape_65_dims": (safetensors(RAW % (b"[" + b",".join([b"1"] * 65) + b"]"), b"\0" * 4), "tensor 'w': shape has 65"),
    "metadata_number": (safetensors({"__metadata__": {"epoch": 3}}), "'epoch'"),
    "metadata_array": (safetensors({"__metadata__": []}), "'__metadata__'"),
    "name_empty": (safetensors({"": entry([1], [0, 4])}, b"\0" * 4), "name"),
}

JSON_CASES = {
    "empty": (b"", "JSON"),
    "cut": (b'{"a": [1, 2', "line 1, column"),
    "comma": (b'{"a": 1,}', "JSON"),
    "two_texts": (b"{} {}", "JSON"),
    "deep_arrays": (b"[" * 10000, "nested deeper"),
    "deep_objects": (b'{"a":' * 1000, "nested deeper"),
    "duplicate_key": (b'{"model_type": "llama", "model_type": "qwen2"}', "duplicate key 'model_type'"),
    "duplicate_escaped": (b'{"a": 1, "\\u0061": 2}', "duplicate key 'a'"),
    "not_utf8": (b'{"a": "\xc0\xaf"}', "JSON"),
    "lone_surrogate": (b'{"a": "\\ud83e"}', "JSON"),
    "control_character": (b'{"a": "\x01"}', "JSON"),
    "number_too_large": (b'{"a": 1e400}', "JSON"),
    "number_endless": (b'{"a": ' + b"9" * 5000 + b"x}", "JSON"),
    "nan": (b'{"a": NaN}', "JSON"),
    "utf16": ('{"a": 1}'.encode("utf-16"), "JSON"),
    "nul": (b'{"a": 1}\0 and more', "JSON: a zero byte"),
}


# Odd but good files: they must open.
VALID = {
    "named_zero_elements.gguf": gguf([], [tensor("w", [1, 0])]),
    "version_2.gguf": gguf([ARCHITECTURE], [tensor("w", [4])], b"\0" * 16, version=2),
    "scores_as_u8.gguf": gguf([array("tokenizer.ggml.scores", U8, 5, b"\0" * 5)]),
    "listed_type.gguf": gguf([ARCHITECTURE], [tensor("blk.0.ffn_up.weight", [256], GGML_IQ2_XS)], b"\0" * 74),
    "empty_and_metadata.safetensors": safetensors({"__metadata__": {"format": "pt"}, "w": entry([0], [0, 0])}),
    "padded_header.safetensors": safetensors(b"{}" + b" " * 6),
    "scalar.json": b"1",
}

FORMATS = {"gguf": GGUF_CASES, "safetensors": SAFETENSORS_CASES, "json": JSON_CASES}


def write_folder(name, files):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for file, content in files.items():
        (folder / file).write_bytes(content)


def main():
    lines = []
    for suffix, cases in FORMATS.items():
        write_folder(suffix, {f"{name}.{suffix}": content for name, (content, _) in cases.items()})
        lines += [f"{suffix}/{name}.{suffix}\t{expected}\n" for name, (_, expected) in sorted(cases.items())]
    write_folder("valid", VALID)
    (HERE / "expected.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main()
