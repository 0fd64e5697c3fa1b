"""Writes a tiny model as a Hugging Face folder, or as an mlx-community folder with affine-quantized weights."""

import json

import outputs
import safetensors_file
from quantization import affine_quantize
from tiny_models import CONTEXT, VOCABULARY
from tokenizer import SPECIALS

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
BOS, EOS = VOCABULARY - len(SPECIALS), VOCABULARY - 1
_CLASSES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}


def _config(spec):
    config = {
        "architectures": [_CLASSES[spec.architecture]],
        "bos_token_id": BOS,
        "eos_token_id": EOS,
        "hidden_act": "silu",
        "hidden_size": spec.hidden,
        "intermediate_size": spec.intermediate,
        "max_position_embeddings": CONTEXT,
        "model_type": spec.architecture,
        "num_attention_heads": spec.heads,
        "num_hidden_layers": spec.layers,
        "num_key_value_heads": spec.kv_heads,
        "rms_norm_eps": 1e-6,
        "rope_scaling": spec.rope_scaling,
        "rope_theta": spec.rope_base,
        "tie_word_embeddings": spec.tied,
        "torch_dtype": _DTYPES[spec.kind],
        "vocab_size": VOCABULARY,
    }
    if spec.architecture == "qwen3":
        config["head_dim"] = spec.head_dim
    if spec.architecture != "qwen2":
        config["attention_bias"] = False
    if spec.affine:
        config["quantization"] = {"group_size": spec.affine[0], "bits": spec.affine[1]}
    return config


def _tokenizer_config():
    return {
        "add_bos_token": False,
        "bos_token": SPECIALS[0],
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "eos_token": SPECIALS[2],
        "model_max_length": CONTEXT,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }


def _stored(spec, weights):
    """name -> (type, array): matrices packed where the spec is affine, everything else in the spec's type."""
    result = {}
    for name, values in weights.items():
        if spec.affine is None or values.ndim == 1:
            result[name] = spec.kind, safetensors_file.encode(values, spec.kind)
            continue
        packed, scales, biases = affine_quantize(values, *spec.affine, lambda x: safetensors_file.rounded(x, spec.kind))
        stem = name.removesuffix(".weight")
        result[name] = "U32", packed
        result[f"{stem}.scales"] = spec.kind, safetensors_file.encode(scales, spec.kind)
        result[f"{stem}.biases"] = spec.kind, safetensors_file.encode(biases, spec.kind)
    return result


def _save_weights(spec, folder, tensors):
    if spec.shards == 1:
        safetensors_file.save(folder / "model.safetensors", tensors)
        return
    names = sorted(tensors)
    per_shard = -(-len(names) // spec.shards)
    weight_map = {}
    for shard in range(spec.shards):
        file = f"model-{shard + 1:05d}-of-{spec.shards:05d}.safetensors"
        part = {name: tensors[name] for name in names[shard * per_shard : (shard + 1) * per_shard]}
        safetensors_file.save(folder / file, part)
        weight_map |= {name: file for name in part}
    total = sum(array.nbytes for _, array in tensors.values())
    outputs.write_json(folder / "model.safetensors.index.json",
                       {"metadata": {"total_size": total}, "weight_map": weight_map})


def write(spec, weights, tokenizer, folder):
    folder.mkdir(parents=True, exist_ok=True)
    _save_weights(spec, folder, _stored(spec, weights))
    outputs.write_json(folder / "config.json", _config(spec))
    outputs.write_json(folder / "generation_config.json", {"bos_token_id": BOS, "eos_token_id": [EOS, BOS]})
    outputs.write_json(folder / "tokenizer_config.json", _tokenizer_config())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
