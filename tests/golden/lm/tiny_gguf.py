"""Writes a tiny model as GGUF with PyPI `gguf`: names, permuted Llama heads, block formats, tokenizer metadata."""

import gguf
import numpy as np

import rope
from model import GGUF_GLOBAL, GGUF_LAYER
from quantization import encode_k, float32_to_bfloat16
from tiny_folder import BOS, CHAT_TEMPLATE, EOS
from tiny_models import CONTEXT, VOCABULARY
from tokenizer import SPECIALS

_MIXED = ["Q8_0", "Q4_1", "Q4_K", "Q6_K", "F16", "Q4_0", "Q5_K", "Q5_0", "BF16", "Q5_1", "F32"]
_STEMS = {theirs: ours for ours, theirs in (GGUF_GLOBAL | GGUF_LAYER).items()}


def gguf_name(name):
    """model.layers.3.self_attn.q_proj.weight -> blk.3.attn_q.weight"""
    stem, suffix = name.removeprefix("model.").rsplit(".", 1)
    if not stem.startswith("layers."):
        return f"{_STEMS[stem]}.{suffix}"
    _, layer, stem = stem.split(".", 2)
    return f"blk.{layer}.{_STEMS[stem]}.{suffix}"


def _interleave_heads(values, heads):
    """Rows (i, i + head_dim / 2) of each head become neighbours (2i, 2i + 1)."""
    halves = values.reshape(heads, 2, -1, values.shape[-1])
    return halves.swapaxes(1, 2).reshape(values.shape)


def _arranged(spec, name, values):
    if spec.architecture == "llama" and name.endswith("q_proj.weight"):
        return _interleave_heads(values, spec.heads)
    if spec.architecture == "llama" and name.endswith("k_proj.weight"):
        return _interleave_heads(values, spec.kv_heads)
    return values


def _add_tensor(writer, name, values, kind):
    if kind in ("F32", "F16"):
        writer.add_tensor(name, values.astype(np.float32 if kind == "F32" else np.float16))
        return
    number = gguf.GGMLQuantizationType[kind]
    if kind == "BF16":
        raw = float32_to_bfloat16(values).view(np.uint8)
    elif kind.endswith("_K"):
        raw = encode_k(values, kind)
    else:
        raw = gguf.quants.quantize(values, number)
    writer.add_tensor(name, raw, raw_dtype=number)


def _add_tensors(writer, spec, weights):
    matrices = 0
    for name, values in weights.items():
        kind = "F32"
        if values.ndim == 2:
            kind = _MIXED[matrices % len(_MIXED)] if spec.gguf_type == "mixed" else spec.gguf_type
            matrices += 1
        _add_tensor(writer, gguf_name(name), _arranged(spec, name, values), kind)


def _add_scaling(writer, spec):
    """llama3 scaling has no keys of its own: a tensor of divisors holds its outcome."""
    scaling = spec.rope_scaling
    if scaling is None:
        return
    kind = scaling.get("rope_type", scaling.get("type"))
    if kind == "llama3":
        plain, _ = rope.scaled_frequencies(spec.head_dim, spec.rope_base, None)
        scaled, _ = rope.scaled_frequencies(spec.head_dim, spec.rope_base, scaling)
        writer.add_tensor("rope_freqs.weight", (plain / scaled).astype(np.float32))
        return
    writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
    writer.add_rope_scaling_factor(scaling["factor"])
    if "original_max_position_embeddings" in scaling:
        writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])


def _add_shape(writer, spec):
    writer.add_name(f"tiny {spec.name}")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(spec.hidden)
    writer.add_block_count(spec.layers)
    writer.add_feed_forward_length(spec.intermediate)
    writer.add_head_count(spec.heads)
    writer.add_head_count_kv(spec.kv_heads)
    writer.add_key_length(spec.head_dim)
    writer.add_value_length(spec.head_dim)
    writer.add_rope_dimension_count(spec.head_dim)
    writer.add_rope_freq_base(spec.rope_base)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(VOCABULARY)


def _add_tokenizer(writer, spec, tokens, merges):
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(spec.pre)
    writer.add_token_list(tokens)
    writer.add_token_types([control if token in SPECIALS else normal for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def write(spec, weights, tokens, merges, path):
    writer = gguf.GGUFWriter(path, spec.architecture)
    _add_shape(writer, spec)
    _add_tokenizer(writer, spec, tokens, merges)
    _add_scaling(writer, spec)
    _add_tensors(writer, spec, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
