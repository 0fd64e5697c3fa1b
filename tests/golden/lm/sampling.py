"""An independent reference of the sampler's filter chain, in float64.

Order: repetition penalty; then top-k, top-p and min-p, each on the distribution at temperature 1 of what the one
before left over, renormalized; then temperature on the survivors. Candidates sort by logit, ties by lower id.
"""

import math

import numpy as np

import outputs

_OFF = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.0}
_INF = math.inf


def penalized(logits, history, penalty):
    """Positive logits of tokens already seen are divided by the penalty, others multiplied; once a token."""
    result = np.array(logits, np.float64)
    seen = sorted(set(history))
    values = result[seen]
    result[seen] = np.where(values > 0, values / penalty, values * penalty)
    return result


def probabilities(logits, temperature=1.0):
    shifted = (logits - logits.max()) / temperature
    weights = np.exp(shifted)
    return weights / weights.sum()


def _top_k(ids, _, k):
    return ids[:k] if 0 < k < len(ids) else ids


def _top_p(ids, logits, p):
    """The shortest prefix whose mass reaches p; never empty."""
    if p >= 1:
        return ids
    mass = np.cumsum(probabilities(logits[ids]))
    return ids[: int(np.searchsorted(mass, p)) + 1]


def _min_p(ids, logits, p):
    likely = probabilities(logits[ids])
    return [i for i, q in zip(ids, likely) if q >= p * likely[0]]


def survivors(logits, settings):
    """Ids by falling logit that every filter keeps; a token of probability 0 is never one."""
    ids = [int(i) for i in np.argsort(-logits, kind="stable") if logits[i] > -_INF]
    for name, keep in (("top_k", _top_k), ("top_p", _top_p), ("min_p", _min_p)):
        ids = keep(ids, logits, settings[name])
    return ids


def sample_distribution(logits, history, settings):
    """(survivors, their probabilities). Temperature 0, or one below 1e-6, leaves the best token alone."""
    if np.isnan(logits).any():
        raise ValueError("a logit is NaN")
    logits = penalized(logits, history, settings["repetition_penalty"])
    ids = survivors(logits, settings)
    if settings["temperature"] < 1e-6:
        return ids[:1], [1.0]
    return ids, [round(float(p), 9) for p in probabilities(logits[ids], settings["temperature"])]


_SPREAD = [1.5, -0.5, 3.0, 0.25, 2.0, -2.0, 2.5, 0.0]
_TIES = [1.0, 3.0, 3.0, 0.0, 3.0]
_THREE = [math.log(0.5), math.log(0.3), math.log(0.2)]

# name, logits, history, settings that differ from "off"
CASES = [
    ("everything off", _SPREAD, [], {}),
    ("temperature 0 is the argmax", _SPREAD, [], {"temperature": 0.0}),
    ("temperature 1e-9 is the argmax", _SPREAD, [], {"temperature": 1e-9}),
    ("temperature 0 takes the lowest id on ties", _TIES, [], {"temperature": 0.0}),
    ("temperature 0.5 sharpens", _SPREAD, [], {"temperature": 0.5}),
    ("temperature 2 flattens", _SPREAD, [], {"temperature": 2.0}),
    ("top-k 1 with top-p 0.8", _SPREAD, [], {"top_k": 1, "top_p": 0.8}),
    ("top-k 3", _SPREAD, [], {"top_k": 3}),
    ("top-k 0 is off", _SPREAD, [], {"top_k": 0}),
    ("top-k of the vocabulary is off", _SPREAD, [], {"top_k": 8}),
    ("top-k beyond the vocabulary is off", _SPREAD, [], {"top_k": 1000}),
    ("top-k 2 among three ties takes the lower ids", _TIES, [], {"top_k": 2}),
    ("top-p 0 keeps the top token", _SPREAD, [], {"top_p": 0.0}),
    ("top-p 1 is off", _SPREAD, [], {"top_p": 1.0}),
    ("top-p 0.7", _SPREAD, [], {"top_p": 0.7}),
    ("top-p cuts inside a tie, lower ids first", _TIES, [], {"top_p": 0.5}),
    ("top-p counts mass among the top-k", _THREE, [], {"top_k": 2, "top_p": 0.6}),
    ("min-p 0 is off", _SPREAD, [], {"min_p": 0.0}),
    ("min-p 1 keeps only the maximum", _SPREAD, [], {"min_p": 1.0}),
    ("min-p before temperature keeps two", [2.0, 1.0, 0.0], [], {"temperature": 0.5, "min_p": 0.2}),
    ("min-p 0.3 after top-p 0.95", _SPREAD, [], {"top_p": 0.95, "min_p": 0.3}),
    ("all but one minus infinity", [-_INF, -_INF, 0.5, -_INF], [], {}),
    ("all but one minus infinity, every filter", [-_INF, -_INF, 0.5, -_INF], [],
     {"top_k": 2, "top_p": 0.0, "min_p": 1.0, "temperature": 0.7}),
    ("one NaN is an error", [1.0, math.nan, 0.0], [], {}),
    ("one NaN is an error at temperature 0", [1.0, math.nan, 0.0], [], {"temperature": 0.0}),
    ("penalty divides positive and multiplies negative logits", _SPREAD, [2, 5, 2], {"repetition_penalty": 1.3}),
    ("penalty moves the argmax", _SPREAD, [2], {"repetition_penalty": 1.5, "temperature": 0.0}),
    ("penalty comes before top-k", _SPREAD, [2, 6], {"repetition_penalty": 2.0, "top_k": 2}),
    ("penalty leaves minus infinity alone", [-_INF, 1.0, 2.0], [0, 2], {"repetition_penalty": 1.5}),
    ("the whole chain", _SPREAD, [6, 0],
     {"repetition_penalty": 1.2, "top_k": 5, "top_p": 0.9, "min_p": 0.1, "temperature": 0.8}),
]


def _plain(logit):
    return logit if math.isfinite(logit) else str(logit)


def _entry(name, logits, history, changes):
    settings = _OFF | changes
    entry = {"name": name, "logits": [_plain(x) for x in logits], "history": history} | settings
    try:
        ids, likely = sample_distribution(np.array(logits), history, settings)
    except ValueError:
        return entry | {"error": True}
    return entry | {"error": False, "survivors": ids, "probabilities": likely}


def write(folder):
    entries = [_entry(*case) for case in CASES]
    outputs.write_json(folder / "lm" / "sampling.json", {"format": 1, "cases": entries})
