"""How golden data is written: the same bytes for the same numbers."""

import json

import numpy as np


def _compact(value, indent=""):
    """JSON with one entry a line, except that lists of scalars stay on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        entries = (f"{inner}{json.dumps(k)}: {_compact(v, inner)}" for k, v in value.items())
        return "{\n" + ",\n".join(entries) + "\n" + indent + "}"
    if isinstance(value, list) and any(isinstance(entry, (dict, list)) for entry in value):
        return "[\n" + ",\n".join(inner + _compact(entry, inner) for entry in value) + "\n" + indent + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_compact(value) + "\n", encoding="utf-8")


def save(folder, name, array):
    """Saves lm/arrays/`name`.npy (version 1.0, C order) under `folder`; returns that path, relative."""
    relative = f"lm/arrays/{name}.npy"
    (folder / relative).parent.mkdir(parents=True, exist_ok=True)
    np.save(folder / relative, np.ascontiguousarray(array))
    return relative


def case(name, model, text, ids, tokens, margins):
    """One prompt and what follows it greedily. Margins are rounded down, so that they stay lower bounds."""
    margins = [int(margin * 1e6) / 1e6 for margin in margins]
    return {
        "name": name,
        "model": model,
        "text": text,
        "prompt": ids,
        "tokens": tokens,
        "margins": margins,
        "smallest_margin": min(margins),
    }


def require_no_end(name, tokens, ends):
    """Generation must not stop by itself: a test asks for all the tokens."""
    if set(tokens) & set(ends):
        raise ValueError(f"{name}: the greedy tokens hold an end token; choose another prompt or seed")
