"""The decoder-only transformer of Llama, Qwen2 and Qwen3, in float64 from the first product to the logits."""

import numpy as np

from rope import rotate


def _rms_norm(x, weight, epsilon):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon) * weight


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Decoder:
    """Keeps keys and values of the tokens seen so far; `forward` continues the sequence."""

    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.keys = [None] * model.config.layers
        self.values = [None] * model.config.layers
        self.length = 0

    def forward(self, ids, last_only=False):
        """Logits [tokens, vocabulary], or of the last token alone [1, vocabulary]."""
        get = self.model.get
        positions = np.arange(self.length, self.length + len(ids))
        x = get("embed_tokens.weight")[np.asarray(ids)]
        for layer in range(self.config.layers):
            name = f"layers.{layer}."
            x = x + self._attention(layer, self._norm(x, name + "input_layernorm.weight"), positions)
            x = x + self._feed_forward(name, self._norm(x, name + "post_attention_layernorm.weight"))
        self.length += len(ids)
        head = get("lm_head.weight")
        x = self._norm(x[-1:] if last_only else x, "norm.weight")
        return x @ (get("embed_tokens.weight") if head is None else head).T

    def _norm(self, x, name):
        return _rms_norm(x, self.model.get(name), self.config.epsilon)

    def _project(self, x, name):
        y = x @ self.model.get(name + ".weight").T
        bias = self.model.get(name + ".bias")
        return y if bias is None else y + bias

    def _heads(self, x, name, count):
        """Projection cut into heads [tokens, count, head_dim], normalized per head where the model does that."""
        y = self._project(x, f"{name}_proj").reshape(len(x), count, self.config.head_dim)
        return y if self.model.get(f"{name}_norm.weight") is None else self._norm(y, f"{name}_norm.weight")

    def _rotated(self, x, positions):
        c = self.config
        return rotate(x, positions, c.frequencies, c.rope_attention, c.interleaved)

    def _attention(self, layer, x, positions):
        c, name = self.config, f"layers.{layer}.self_attn."
        q = self._rotated(self._heads(x, name + "q", c.heads), positions)
        k = self._remember(self.keys, layer, self._rotated(self._heads(x, name + "k", c.kv_heads), positions))
        v = self._remember(self.values, layer, self._heads(x, name + "v", c.kv_heads))
        group = c.heads // c.kv_heads
        q = q.reshape(len(x), c.kv_heads, group, c.head_dim)
        scores = np.einsum("tkgd,skd->kgts", q, k, optimize=True) / np.sqrt(c.head_dim)
        scores = np.where(np.arange(len(k)) <= positions[:, None], scores, -np.inf)
        mixed = np.einsum("kgts,skd->tkgd", _softmax(scores), v, optimize=True)
        return self._project(mixed.reshape(len(x), -1), name + "o_proj")

    @staticmethod
    def _remember(cache, layer, rows):
        cache[layer] = rows if cache[layer] is None else np.concatenate([cache[layer], rows])
        return cache[layer]

    def _feed_forward(self, name, x):
        gate = self._project(x, name + "mlp.gate_proj")
        up = self._project(x, name + "mlp.up_proj")
        return self._project(gate / (1 + np.exp(-gate)) * up, name + "mlp.down_proj")


def greedy(model, prompt, count):
    """`count` tokens of largest logit (lowest id on ties) and, for each, its lead over the second."""
    decoder = Decoder(model)
    logits = decoder.forward(prompt, last_only=True)[-1]
    tokens, margins = [], []
    for step in range(count):
        if step:
            logits = decoder.forward(tokens[-1:])[-1]
        tokens.append(int(np.argmax(logits)))
        second, first = np.partition(logits, -2)[-2:]
        margins.append(float(first - second))
    return tokens, margins


def negative_log_likelihoods(model, ids):
    """-log p(ids[t] | ids[:t]) for t = 1, 2, ..., all in one context."""
    logits = Decoder(model).forward(ids[:-1])
    top = logits.max(axis=-1, keepdims=True)
    log_sum = np.log(np.exp(logits - top).sum(axis=-1)) + top[:, 0]
    return log_sum - logits[np.arange(len(ids) - 1), np.asarray(ids[1:])]
