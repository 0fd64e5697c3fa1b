"""Writes the tiny models under models/ and their golden data, lm/golden.json."""

import json
from pathlib import Path

import jinja2
import numpy as np
from tokenizers import Tokenizer

import outputs
import safetensors_file
import tiny_folder
import tiny_gguf
from model import load
from tiny_models import SPECS, VOCABULARY, weights
from tokenizer import SPECIALS, byte_alphabet, tokenizer_json, train
from transformer import Decoder, greedy

HERE = Path(__file__).parent
GENERATED = 24

# name, text, whether it is a user's message in the chat template, whether logits of every position are kept
PROMPTS = [
    ("long", "The harbour wakes before the town does: 12 crates, 7 ropes & a small crane turning slowly.", False, True),
    ("short", "Sails up!", False, False),
    ("chat", "How deep?", True, False),
]


class Text:
    """The vocabulary that all tiny models share; `encode` cuts a prompt as a model's own tokenizer.json does."""

    def __init__(self):
        self.merges = train((HERE / "perplexity.txt").read_text(), VOCABULARY - 256 - len(SPECIALS))
        self.tokens = byte_alphabet() + [a + b for a, b in self.merges] + SPECIALS

    def json(self, pre):
        return tokenizer_json(self.tokens, self.merges, range(VOCABULARY - len(SPECIALS), VOCABULARY), pre)

    def encode(self, text, pre):
        return Tokenizer.from_str(json.dumps(self.json(pre))).encode(text, add_special_tokens=False).ids


def prompt_text(message, is_chat):
    if not is_chat:
        return message
    template = jinja2.Environment().from_string(tiny_folder.CHAT_TEMPLATE)
    return template.render(messages=[{"role": "user", "content": message}], add_generation_prompt=True)


def write_model(spec, text, folder):
    """Writes the spec's files; returns their paths relative to `folder`."""
    values = {name: safetensors_file.rounded(w, spec.kind) for name, w in weights(spec).items()}
    (folder / "models").mkdir(parents=True, exist_ok=True)
    paths = []
    if spec.gguf:
        tiny_gguf.write(spec, values, text.tokens, text.merges, folder / "models" / spec.gguf)
        paths.append(f"models/{spec.gguf}")
    if spec.folder:
        tiny_folder.write(spec, values, text.json(spec.pre), folder / "models" / spec.folder)
        paths.append(f"models/{spec.folder}")
    return paths


def golden_cases(spec, models, text):
    """(prompt name, text, ids, tokens, margins, logits to keep) per prompt.

    The two forms of one model must agree: that proves names, permutation and storage of both.
    """
    results = []
    for name, message, is_chat, keep_all in PROMPTS:
        content = prompt_text(message, is_chat)
        ids = text.encode(content, spec.pre)
        logits = [Decoder(model).forward(ids) for model in models]
        if any(np.abs(other - logits[0]).max() > 1e-5 for other in logits):
            raise ValueError(f"{spec.name}: GGUF and folder disagree")
        tokens, margins = greedy(models[0], ids, GENERATED)
        results.append((name, content, ids, tokens, margins, logits[0] if keep_all else logits[0][-1:]))
    return results


def _write_spec(spec, text, folder):
    paths = write_model(spec, text, folder)
    models = [load(folder / path) for path in paths]
    cases = []
    for name, content, ids, tokens, margins, logits in golden_cases(spec, models, text):
        outputs.require_no_end(f"{spec.name} {name}", tokens, ends=(VOCABULARY - 1, VOCABULARY - 3))
        array = outputs.save(folder, f"{spec.name}-{name}", logits.astype(np.float32))
        for path in paths:
            stem = path.removeprefix("models/").removesuffix(".gguf")
            case = outputs.case(f"{stem}-{name}", path, content, ids, tokens, margins)
            cases.append(case | {"logits": array, "logits_rows": len(logits)})
    return cases


def write(folder):
    text = Text()
    cases = [case for spec in SPECS for case in _write_spec(spec, text, folder)]
    outputs.write_json(folder / "lm" / "golden.json", {"format": 1, "vocabulary": VOCABULARY, "cases": cases})
