"""Block formats of GGUF and MLX's affine format, from their definitions, as NumPy float32.

GGUF blocks hold 32 values (256 for the K formats) of one row; `dequantize` takes the raw bytes of a tensor and its
row-major shape. Encoders exist only for the K formats (PyPI `gguf` encodes the others) and for MLX's affine format.
"""

import numpy as np

# name -> (ggml type number, values a block, bytes a block)
TYPES = {
    "F32": (0, 1, 4),
    "F16": (1, 1, 2),
    "Q4_0": (2, 32, 18),
    "Q4_1": (3, 32, 20),
    "Q5_0": (6, 32, 22),
    "Q5_1": (7, 32, 24),
    "Q8_0": (8, 32, 34),
    "Q4_K": (12, 256, 144),
    "Q5_K": (13, 256, 176),
    "Q6_K": (14, 256, 210),
    "BF16": (30, 1, 2),
}
NAMES = {number: name for name, (number, _, _) in TYPES.items()}


def bfloat16_to_float32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float32_to_bfloat16(values):
    """Rounds to nearest even; returns the 16 bits as uint16. Finite input only."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def _half(columns):
    return np.ascontiguousarray(columns).view(np.float16).astype(np.float32)


def _nibbles(packed):
    """[blocks, n] bytes -> [blocks, 2n]: all low nibbles, then all high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=1)


def _fifth_bits(columns):
    """Four bytes -> [blocks, 32]: bit j belongs to value j."""
    return np.unpackbits(np.ascontiguousarray(columns), axis=1, bitorder="little")


def _q4_0(b):
    return _half(b[:, :2]) * (_nibbles(b[:, 2:]).astype(np.float32) - 8)


def _q4_1(b):
    return _half(b[:, :2]) * _nibbles(b[:, 4:]).astype(np.float32) + _half(b[:, 2:4])


def _q5_0(b):
    codes = _nibbles(b[:, 6:]) | (_fifth_bits(b[:, 2:6]) << 4)
    return _half(b[:, :2]) * (codes.astype(np.float32) - 16)


def _q5_1(b):
    codes = _nibbles(b[:, 8:]) | (_fifth_bits(b[:, 4:8]) << 4)
    return _half(b[:, :2]) * codes.astype(np.float32) + _half(b[:, 2:4])


def _q8_0(b):
    return _half(b[:, :2]) * np.ascontiguousarray(b[:, 2:]).view(np.int8).astype(np.float32)


def _six_bit_scales(packed):
    """The 12 bytes of Q4_K and Q5_K -> eight scales and eight minimums, each [blocks, 8]."""
    low, middle, high = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([low & 63, (high & 15) | ((low >> 6) << 4)], axis=1)
    minimums = np.concatenate([middle & 63, (high >> 4) | ((middle >> 6) << 4)], axis=1)
    return scales.astype(np.float32), minimums.astype(np.float32)


def _k_nibbles(packed):
    """128 bytes -> [blocks, 8, 32]: each run of 32 bytes holds two groups, low nibbles first."""
    runs = packed.reshape(-1, 4, 1, 32)
    return np.concatenate([runs & 15, runs >> 4], axis=2).reshape(-1, 8, 32)


def _scaled_k(b, codes):
    scales, minimums = _six_bit_scales(b[:, 4:16])
    scale = _half(b[:, 0:2]) * scales
    minimum = _half(b[:, 2:4]) * minimums
    return (scale[:, :, None] * codes.astype(np.float32) - minimum[:, :, None]).reshape(len(b), 256)


def _q4_k(b):
    return _scaled_k(b, _k_nibbles(b[:, 16:]))


def _q5_k(b):
    group = np.arange(8, dtype=np.uint8)[None, :, None]
    high = (b[:, None, 16:48] >> group) & 1
    return _scaled_k(b, _k_nibbles(b[:, 48:]) | (high << 4))


def _q6_k(b):
    low = b[:, :128].reshape(-1, 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 2, 4, 32)
    shift = np.array([0, 2, 4, 6], np.uint8)[None, None, :, None]
    high = (b[:, 128:192].reshape(-1, 2, 1, 32) >> shift) & 3
    codes = (low | (high << 4)).reshape(-1, 16, 16).astype(np.float32) - 32
    scale = _half(b[:, 208:210]) * np.ascontiguousarray(b[:, 192:208]).view(np.int8).astype(np.float32)
    return (scale[:, :, None] * codes).reshape(len(b), 256)


_BLOCKS = {"Q4_0": _q4_0, "Q4_1": _q4_1, "Q5_0": _q5_0, "Q5_1": _q5_1, "Q8_0": _q8_0, "Q4_K": _q4_k, "Q5_K": _q5_k,
           "Q6_K": _q6_k}


def dequantize(raw, name, shape):
    """Raw bytes of a tensor of type `name` -> float32 array of `shape` (row-major, as NumPy)."""
    if name == "F32":
        return raw.view(np.float32).reshape(shape)
    if name == "F16":
        return raw.view(np.float16).astype(np.float32).reshape(shape)
    if name == "BF16":
        return bfloat16_to_float32(raw.view(np.uint16)).reshape(shape)
    blocks = raw.reshape(-1, TYPES[name][2])
    return _BLOCKS[name](blocks).reshape(shape)


def _safe_inverse(x):
    return np.divide(1, x, out=np.zeros_like(x), where=x != 0)


def _pack_six_bit(scales, minimums):
    low = scales[:, :4] | ((scales[:, 4:] >> 4) << 6)
    middle = minimums[:, :4] | ((minimums[:, 4:] >> 4) << 6)
    high = (scales[:, 4:] & 15) | ((minimums[:, 4:] & 15) << 4)
    return np.concatenate([low, middle, high], axis=1).astype(np.uint8)


def _encode_scaled_k(weights, top):
    """Codes [blocks, 8, 32] of 0..top and the 16 header bytes; least-effort rounding, no search."""
    groups = weights.reshape(-1, 8, 32).astype(np.float32)
    minimum = np.maximum(-groups.min(axis=2), 0)
    scale = (groups.max(axis=2) + minimum) / top
    d = (scale.max(axis=1, keepdims=True) / 63).astype(np.float16)
    dmin = (minimum.max(axis=1, keepdims=True) / 63).astype(np.float16)
    d32, dmin32 = d.astype(np.float32), dmin.astype(np.float32)
    scales = np.clip(np.rint(scale * _safe_inverse(d32)), 0, 63).astype(np.uint8)
    minimums = np.clip(np.rint(minimum * _safe_inverse(dmin32)), 0, 63).astype(np.uint8)
    shifted = groups + (dmin32 * minimums)[:, :, None]
    codes = np.clip(np.rint(shifted * _safe_inverse(d32 * scales)[:, :, None]), 0, top).astype(np.uint8)
    return codes, np.concatenate([d.view(np.uint8), dmin.view(np.uint8), _pack_six_bit(scales, minimums)], axis=1)


def _pack_k_nibbles(codes):
    pairs = (codes & 15).reshape(-1, 4, 2, 32)
    return (pairs[:, :, 0] | (pairs[:, :, 1] << 4)).reshape(-1, 128)


def _encode_q4_k(weights):
    codes, header = _encode_scaled_k(weights, 15)
    return np.concatenate([header, _pack_k_nibbles(codes)], axis=1)


def _encode_q5_k(weights):
    codes, header = _encode_scaled_k(weights, 31)
    group = np.arange(8, dtype=np.uint8)[None, :, None]
    high = np.bitwise_or.reduce((codes >> 4) << group, axis=1)
    return np.concatenate([header, high, _pack_k_nibbles(codes)], axis=1)


def _encode_q6_k(weights):
    groups = weights.reshape(-1, 16, 16).astype(np.float32)
    scale = np.abs(groups).max(axis=2) / 31
    d = (scale.max(axis=1, keepdims=True) / 127).astype(np.float16)
    d32 = d.astype(np.float32)
    scales = np.rint(scale * _safe_inverse(d32)).astype(np.int8)
    codes = np.clip(np.rint(groups * _safe_inverse(d32 * scales)[:, :, None]), -32, 31).astype(np.int8) + 32
    quarters = codes.astype(np.uint8).reshape(-1, 2, 4, 32)
    low = quarters & 15
    low = np.concatenate([low[:, :, 0] | (low[:, :, 2] << 4), low[:, :, 1] | (low[:, :, 3] << 4)], axis=2)
    shift = np.array([0, 2, 4, 6], np.uint8)[None, None, :, None]
    high = np.bitwise_or.reduce((quarters >> 4) << shift, axis=2)
    return np.concatenate([low.reshape(-1, 128), high.reshape(-1, 64), scales.view(np.uint8), d.view(np.uint8)], axis=1)


_ENCODERS = {"Q4_K": _encode_q4_k, "Q5_K": _encode_q5_k, "Q6_K": _encode_q6_k}


def encode_k(weights, name):
    """Float matrix with rows of a multiple of 256 -> uint8 rows of Q4_K, Q5_K or Q6_K blocks."""
    return np.ascontiguousarray(_ENCODERS[name](weights).reshape(weights.shape[0], -1), np.uint8)


def affine_quantize(weights, group_size, bits, round_scale):
    """MLX's layout: uint32 [out, in * bits / 32], scales and biases [out, in / group_size].

    Value j of a row lies in bits [bits * j % 32, ...) of word bits * j / 32 (bits divides 32), low bits first;
    w = scale * code + bias. `round_scale` rounds to the dtype that scales and biases are stored in.
    """
    rows = weights.shape[0]
    groups = weights.reshape(rows, -1, group_size).astype(np.float32)
    top = (1 << bits) - 1
    biases = round_scale(groups.min(axis=2))
    scales = round_scale((groups.max(axis=2) - biases) / top)
    codes = np.clip(np.rint((groups - biases[:, :, None]) * _safe_inverse(scales)[:, :, None]), 0, top)
    lanes = codes.astype(np.uint32).reshape(rows, -1, 32 // bits)
    shifts = (bits * np.arange(32 // bits)).astype(np.uint32)
    return np.bitwise_or.reduce(lanes << shifts, axis=2), scales, biases


def affine_dequantize(packed, scales, biases, group_size, bits):
    shifts = (bits * np.arange(32 // bits)).astype(np.uint32)
    codes = (packed[:, :, None] >> shifts) & ((1 << bits) - 1)
    groups = codes.reshape(packed.shape[0], -1, group_size).astype(np.float64)
    return (groups * scales[:, :, None] + biases[:, :, None]).reshape(packed.shape[0], -1)
