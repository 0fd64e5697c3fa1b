"""What the reference computes with: a configuration and float64 weights, from a GGUF file or a model folder."""

import json
from dataclasses import dataclass

import numpy as np

import safetensors_file
from gguf_file import GgufFile
from quantization import affine_dequantize
from rope import scaled_frequencies


@dataclass
class Config:
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    epsilon: float
    frequencies: np.ndarray  # [head_dim / 2]
    rope_attention: float
    interleaved: bool


@dataclass
class Model:
    """`weights`: names of a Hugging Face checkpoint without the leading "model.", without "lm_head" when tied."""

    config: Config
    weights: dict

    def get(self, name):
        return self.weights.get(name)


GGUF_GLOBAL = {"token_embd": "embed_tokens", "output_norm": "norm", "output": "lm_head"}
GGUF_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def hugging_face_name(name):
    """blk.3.attn_q.weight -> layers.3.self_attn.q_proj.weight"""
    if not name.startswith("blk."):
        stem, suffix = name.rsplit(".", 1)
        return f"{GGUF_GLOBAL[stem]}.{suffix}"
    _, layer, stem, suffix = name.split(".")
    return f"layers.{layer}.{GGUF_LAYER[stem]}.{suffix}"


def _gguf_scaling(metadata, architecture):
    kind = metadata.get(f"{architecture}.rope.scaling.type", "none")
    if kind == "none":
        return None
    return {
        "rope_type": kind,
        "factor": metadata[f"{architecture}.rope.scaling.factor"],
        "original_max_position_embeddings": metadata.get(f"{architecture}.rope.scaling.original_context_length"),
    }


def load_gguf(path):
    """Llama stores query and key rows permuted for interleaved rotation; Qwen2 and Qwen3 rotate halves.

    A tensor rope_freqs.weight divides the frequencies: that is how llama3 scaling is stored.
    """
    file = GgufFile(path)
    meta = file.metadata
    arch = meta["general.architecture"]
    heads = meta[f"{arch}.attention.head_count"]
    head_dim = meta.get(f"{arch}.attention.key_length", meta[f"{arch}.embedding_length"] // heads)
    base = meta.get(f"{arch}.rope.freq_base", 10000.0)
    frequencies, attention = scaled_frequencies(head_dim, base, _gguf_scaling(meta, arch))
    if "rope_freqs.weight" in file.tensors:
        frequencies = frequencies / file.tensors.pop("rope_freqs.weight").values()
    config = Config(
        layers=meta[f"{arch}.block_count"],
        heads=heads,
        kv_heads=meta.get(f"{arch}.attention.head_count_kv", heads),
        head_dim=head_dim,
        epsilon=meta[f"{arch}.attention.layer_norm_rms_epsilon"],
        frequencies=frequencies,
        rope_attention=attention,
        interleaved=arch == "llama",
    )
    return Model(config, {hugging_face_name(n): t.values().astype(np.float64) for n, t in file.tensors.items()})


def _stored_tensors(folder):
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return safetensors_file.load(folder / "model.safetensors")
    files = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    return {name: tensor for file in files for name, tensor in safetensors_file.load(folder / file).items()}


def _dense(stored, quantization):
    """Every weight as float64, affine-quantized ones expanded."""
    result = {}
    for name, tensor in stored.items():
        if name.endswith((".scales", ".biases")):
            continue
        if tensor.dtype == np.uint32:
            stem = name.removesuffix(".weight")
            scales, biases = (stored[f"{stem}.{part}"].astype(np.float64) for part in ("scales", "biases"))
            tensor = affine_dequantize(tensor, scales, biases, quantization["group_size"], quantization["bits"])
        result[name.removeprefix("model.")] = tensor.astype(np.float64)
    return result


def load_folder(folder):
    """A Hugging Face or mlx-community folder; every architecture rotates halves there."""
    meta = json.loads((folder / "config.json").read_text())
    heads = meta["num_attention_heads"]
    head_dim = meta.get("head_dim") or meta["hidden_size"] // heads
    frequencies, attention = scaled_frequencies(head_dim, meta["rope_theta"], meta.get("rope_scaling"))
    config = Config(
        layers=meta["num_hidden_layers"],
        heads=heads,
        kv_heads=meta["num_key_value_heads"],
        head_dim=head_dim,
        epsilon=meta["rms_norm_eps"],
        frequencies=frequencies,
        rope_attention=attention,
        interleaved=False,
    )
    return Model(config, _dense(_stored_tensors(folder), meta.get("quantization")))


def load(path):
    return load_folder(path) if path.is_dir() else load_gguf(path)
