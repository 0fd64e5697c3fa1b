"""Byte-level BPE tokenizers as tokenizer.json objects: trained here on a few words, or taken from GGUF metadata.

Encoding itself is left to Hugging Face `tokenizers`, so that prompts are cut into ids by an independent program.
"""

import json
from collections import Counter

from tokenizers import Tokenizer

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {
    "llama-bpe": _CONTRACTIONS + r"\p{N}{1,3}" + _REST,
    "qwen2": _CONTRACTIONS + r"\p{N}" + _REST,
}
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_alphabet():
    """The visible character that stands for each byte in byte-level vocabularies, GPT-2's table."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    table = {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}
    return [table[byte] for byte in range(256)]


def train(text, count):
    """The `count` most frequent merges, one after the other; ties go to the lexically smaller pair."""
    alphabet = byte_alphabet()
    words = Counter((" " + word) for word in text.split())
    splits = {word: [alphabet[byte] for byte in word.encode()] for word in words}
    merges = []
    for _ in range(count):
        pairs = Counter()
        for word, pieces in splits.items():
            for pair in zip(pieces, pieces[1:]):
                pairs[pair] += words[word]
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        splits = {word: _merge(pieces, best) for word, pieces in splits.items()}
    return merges


def _merge(pieces, pair):
    result, i = [], 0
    while i < len(pieces):
        joined = tuple(pieces[i : i + 2]) == pair
        result.append(pieces[i] + pieces[i + 1] if joined else pieces[i])
        i += 2 if joined else 1
    return result


def _byte_level(use_regex):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}


def _pre_tokenizer(pre):
    if pre == "smollm":
        return {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, _byte_level(True)]}
    split = {"type": "Split", "pattern": {"Regex": PATTERNS[pre]}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _byte_level(False)]}


def tokenizer_json(tokens, merges, special_ids, pre):
    """The tokenizer.json object of a byte-level BPE; `merges` are pairs, `tokens` all tokens in the order of ids.

    Special tokens behind the last ordinary one stand among the added tokens alone; those before it must also be in
    the vocabulary, or `tokenizers` would give them new ids.
    """
    special = set(special_ids)
    ordinary = max(i for i in range(len(tokens)) if i not in special) + 1
    added = [
        {"id": i, "content": tokens[i], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for i in sorted(special)
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "NFC"} if pre == "qwen2" else None,
        "pre_tokenizer": _pre_tokenizer(pre),
        "post_processor": None,
        "decoder": _byte_level(False),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: i for i, token in enumerate(tokens[:ordinary])},
            "merges": [list(pair) for pair in merges],
        },
    }


def from_gguf(metadata):
    """A `tokenizers.Tokenizer` with the vocabulary, merges and control tokens of a GGUF file."""
    control = 3
    specials = [i for i, kind in enumerate(metadata["tokenizer.ggml.token_type"]) if kind == control]
    merges = [merge.split(" ") for merge in metadata["tokenizer.ggml.merges"]]
    tokens = metadata["tokenizer.ggml.tokens"]
    description = tokenizer_json(tokens, merges, specials, metadata["tokenizer.ggml.pre"])
    tokenizer = Tokenizer.from_str(json.dumps(description))
    if any(tokenizer.token_to_id(token) != i for i, token in enumerate(tokens)):
        raise ValueError("tokenizers numbers the tokens differently from the file")
    return tokenizer
