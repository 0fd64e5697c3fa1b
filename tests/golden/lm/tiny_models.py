"""The tiny random models: their shapes, and weights by name of a Hugging Face checkpoint.

Seeds were chosen by find_seeds.py so that every golden token leads by a margin of 1e-2 or more.
"""

from dataclasses import dataclass

import numpy as np

VOCABULARY = 320
CONTEXT = 512


@dataclass(frozen=True)
class Spec:
    """`kind`: what weights are rounded to and how a folder stores them. `gguf`, `folder`: file names, or None."""

    name: str
    architecture: str  # llama, qwen2 or qwen3
    seed: int
    gguf: str | None
    folder: str | None
    kind: str = "F16"
    gguf_type: str = "F32"  # of matrices; "mixed" cycles through every block format
    hidden: int = 64
    intermediate: int = 96
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 16
    tied: bool = False
    rope_base: float = 10000.0
    rope_scaling: dict | None = None
    affine: tuple | None = None  # (group size, bits)
    shards: int = 1

    @property
    def pre(self):
        return "llama-bpe" if self.architecture == "llama" else "qwen2"


LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
LINEAR = {"type": "linear", "factor": 2.0}

SPECS = [
    Spec("llama", "llama", 15, "llama-f32.gguf", "llama-hf"),
    Spec("qwen2", "qwen2", 140, "qwen2-f32.gguf", "qwen2-hf-sharded", kind="F32", tied=True, rope_base=1e6, shards=2),
    Spec("qwen3", "qwen3", 2, "qwen3-f32.gguf", "qwen3-hf", kind="BF16", head_dim=32, rope_base=1e6),
    Spec("llama-mixed", "llama", 7, "llama-mixed.gguf", None, gguf_type="mixed", hidden=256, intermediate=256, heads=8,
         kv_heads=2, head_dim=32),
    Spec("llama-affine4", "llama", 3, None, "llama-mlx-4bit", affine=(32, 4)),
    Spec("qwen3-affine8", "qwen3", 289, None, "qwen3-mlx-8bit", kind="BF16", intermediate=128, head_dim=32, tied=True,
         rope_base=1e6, affine=(64, 8)),
    Spec("llama-llama3", "llama", 2, "llama-rope-llama3.gguf", "llama-rope-llama3-hf", gguf_type="F16",
         rope_scaling=LLAMA3),
    Spec("qwen3-yarn", "qwen3", 15, "qwen3-rope-yarn.gguf", "qwen3-rope-yarn-hf", kind="BF16", gguf_type="BF16",
         head_dim=32, rope_scaling=YARN),
    Spec("llama-linear", "llama", 1, "llama-rope-linear.gguf", "llama-rope-linear-hf", gguf_type="F16",
         rope_scaling=LINEAR),
]


def _projections(spec):
    """name -> (rows, columns, gain): queries and keys are large enough that attention is not flat."""
    q, kv = spec.heads * spec.head_dim, spec.kv_heads * spec.head_dim
    return {
        "self_attn.q_proj": (q, spec.hidden, 1.5),
        "self_attn.k_proj": (kv, spec.hidden, 1.5),
        "self_attn.v_proj": (kv, spec.hidden, 1.0),
        "self_attn.o_proj": (spec.hidden, q, 1.0),
        "mlp.gate_proj": (spec.intermediate, spec.hidden, 1.0),
        "mlp.up_proj": (spec.intermediate, spec.hidden, 1.0),
        "mlp.down_proj": (spec.hidden, spec.intermediate, 1.5),
    }


def weights(spec):
    """Float32 arrays by full checkpoint name, drawn in a fixed order from the spec's seed."""
    random = np.random.default_rng(spec.seed)

    def matrix(rows, columns, deviation):
        return random.normal(0, deviation, (rows, columns)).astype(np.float32)

    def norm(size):
        return random.uniform(0.6, 1.4, size).astype(np.float32)

    result = {"model.embed_tokens.weight": matrix(VOCABULARY, spec.hidden, 0.4)}
    for layer in range(spec.layers):
        prefix = f"model.layers.{layer}."
        result[prefix + "input_layernorm.weight"] = norm(spec.hidden)
        result[prefix + "post_attention_layernorm.weight"] = norm(spec.hidden)
        for name, (rows, columns, gain) in _projections(spec).items():
            result[f"{prefix}{name}.weight"] = matrix(rows, columns, gain / np.sqrt(columns))
        if spec.architecture == "qwen2":
            for name in "qkv":
                rows = result[f"{prefix}self_attn.{name}_proj.weight"].shape[0]
                result[f"{prefix}self_attn.{name}_proj.bias"] = random.normal(0, 0.5, rows).astype(np.float32)
        if spec.architecture == "qwen3":
            for name in "qk":
                result[f"{prefix}self_attn.{name}_norm.weight"] = 1.3 * norm(spec.head_dim)
    result["model.norm.weight"] = norm(spec.hidden)
    if not spec.tied:
        result["lm_head.weight"] = matrix(VOCABULARY, spec.hidden, 0.4)
    return result
