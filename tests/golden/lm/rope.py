"""Rotary position embedding: angles per position with every frequency scaling, and the two layouts of a head.

The scalings follow the definitions in Hugging Face transformers (modeling_rope_utils): linear, llama3, yarn.
`scaling` is a config.json `rope_scaling` object, or None; a GGUF file's own keys are brought into that form.
"""

import math

import numpy as np


def _llama3(frequencies, scaling):
    factor = scaling["factor"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    original = scaling["original_max_position_embeddings"]
    wavelengths = 2 * math.pi / frequencies
    smooth = (original / wavelengths - low) / (high - low)
    blended = (1 - smooth) * frequencies / factor + smooth * frequencies
    scaled = np.where(wavelengths > original / low, frequencies / factor, blended)
    return np.where(wavelengths < original / high, frequencies, scaled), 1.0


def _yarn_bound(rotations, dimensions, base, original):
    return dimensions * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))


def _yarn(frequencies, scaling, dimensions, base):
    factor, original = scaling["factor"], scaling["original_max_position_embeddings"]
    low = math.floor(_yarn_bound(scaling.get("beta_fast", 32), dimensions, base, original))
    high = math.ceil(_yarn_bound(scaling.get("beta_slow", 1), dimensions, base, original))
    low, high = max(low, 0), min(high, dimensions - 1)
    ramp = np.clip((np.arange(dimensions // 2) - low) / max(high - low, 0.001), 0, 1)
    attention = scaling.get("attention_factor")
    if attention is None:
        attention = 0.1 * math.log(factor) + 1 if factor > 1 else 1.0
    return frequencies / factor * ramp + frequencies * (1 - ramp), attention


def scaled_frequencies(dimensions, base, scaling):
    """Frequencies [dimensions / 2] in radians a position, and the factor that multiplies cosine and sine."""
    frequencies = base ** (-np.arange(0, dimensions, 2, dtype=np.float64) / dimensions)
    kind = (scaling or {}).get("rope_type", (scaling or {}).get("type", "default"))
    if kind == "default":
        return frequencies, 1.0
    if kind == "linear":
        return frequencies / scaling["factor"], 1.0
    if kind == "llama3":
        return _llama3(frequencies, scaling)
    if kind == "yarn":
        return _yarn(frequencies, scaling, dimensions, base)
    raise ValueError(f"unknown rope type {kind}")


def rotate(x, positions, frequencies, attention, interleaved):
    """x: [tokens, heads, head_dim]. Pairs are (2i, 2i + 1) if interleaved, else (i, i + head_dim / 2)."""
    angles = positions[:, None, None] * frequencies
    cosine, sine = attention * np.cos(angles), attention * np.sin(angles)
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    turned = a * cosine - b * sine, a * sine + b * cosine
    return np.stack(turned, axis=-1).reshape(x.shape) if interleaved else np.concatenate(turned, axis=-1)
