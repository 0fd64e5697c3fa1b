"""Random numbers of MLX (PyPI `mlx[cpu]` 0.32) for given keys, as golden.safetensors beside this file.

Names: <function>.<case>; tests/ops/random_test.cpp makes the same calls.
"""

import pathlib

import mlx.core as mx

SHAPES = [(1,), (2,), (5,), (8,), (3, 3), (257,)]
SEEDS = [0, 42, (7 << 32) + 11]


def golden():
    r = mx.random
    out = {}
    for seed in SEEDS:
        key = r.key(seed)
        out[f"key.{seed}"] = key
        out[f"split.{seed}"] = r.split(key, 5)
        for shape in SHAPES:
            name = f"{seed}.{'x'.join(map(str, shape))}"
            out[f"uniform.{name}"] = r.uniform(0, 1, shape, key=key)
            out[f"normal.{name}"] = r.normal(shape, key=key)
    key = r.key(3)
    out["uniform.range"] = r.uniform(mx.array([-1.0, 5.0]), mx.array([1.0, 9.0]), (7, 2), key=key)
    out["uniform.float16"] = r.uniform(0, 1, (64,), mx.float16, key=key)
    out["uniform.bfloat16"] = r.uniform(0, 1, (64,), mx.bfloat16, key=key)
    out["normal.scaled"] = r.normal((33,), loc=2.0, scale=0.5, key=key)
    out["normal.float16"] = r.normal((33,), mx.float16, key=key)
    out["randint.int32"] = r.randint(-100, 100, (65,), key=key)
    out["randint.large"] = r.randint(0, 2**31 - 1, (33,), key=key)
    out["bernoulli"] = r.bernoulli(0.3, (65,), key=key)
    out["gumbel"] = r.gumbel((33,), key=key)
    out["laplace"] = r.laplace((33,), key=key)
    out["truncated_normal"] = r.truncated_normal(-1.0, 2.0, (33,), key=key)
    out["permutation"] = r.permutation(100, key=key)
    logits = mx.log(mx.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]))
    out["categorical"] = r.categorical(mx.broadcast_to(logits[:, None], (2, 20, 3)), key=key)
    out["categorical.axis"] = r.categorical(logits, axis=0, shape=(10, 3), key=key)
    out["categorical.samples"] = r.categorical(logits, num_samples=9, key=key)
    return out


if __name__ == "__main__":
    with mx.stream(mx.cpu):
        mx.save_safetensors(str(pathlib.Path(__file__).parent / "golden.safetensors"), golden(), {"by": "mlx 0.32.4"})
