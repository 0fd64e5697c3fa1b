"""Times llama.cpp, in a process of its own, through llama-cpp-python's C API; prints one JSON object.

    python llama_cpp_worker.py MODEL PROMPT_TOKENS GENERATE_TOKENS REPEATS THREADS

Prefill: the whole prompt in one llama_decode, logits of its last token. Decode: one token a call, continuing that
prompt, with fixed tokens and no sampling. One untimed round comes first. Batch, context and threads are set, the rest
is llama.cpp's default (key/value cache in float16, flash attention where it can, repacked weights where it can).
"""

import json
import sys
import time

import llama_cpp as llama

_log = []


@llama.llama_log_callback
def _keep_log(_level, text, _data):
    _log.append(text.decode(errors="replace"))


class Session:
    def __init__(self, path, context, threads):
        llama.llama_log_set(_keep_log, None)
        llama.llama_backend_init()
        model_parameters = llama.llama_model_default_params()
        model_parameters.n_gpu_layers = 0
        self.model = llama.llama_model_load_from_file(path.encode(), model_parameters)
        if not self.model:
            raise SystemExit("".join(_log) + f"llama.cpp cannot load {path}")
        parameters = llama.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = context
        parameters.n_threads = parameters.n_threads_batch = threads
        self.context = llama.llama_init_from_model(self.model, parameters)
        self.batch = llama.llama_batch_init(context, 0, 1)
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))

    def token(self, position):
        """Any ordinary token will do: speed does not depend on which."""
        return 100 + position * 37 % (self.vocabulary - 200)

    def decode(self, first, count):
        """Seconds of one llama_decode over `count` tokens from position `first` on."""
        batch = self.batch
        batch.n_tokens = count
        for i in range(count):
            batch.token[i] = self.token(first + i)
            batch.pos[i] = first + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = i == count - 1
        start = time.perf_counter()
        if llama.llama_decode(self.context, batch) != 0:
            raise SystemExit("llama_decode failed")
        llama.llama_synchronize(self.context)
        return time.perf_counter() - start

    def round(self, prompt, generate):
        """Tokens per second of prefill and of decode."""
        llama.llama_memory_clear(llama.llama_get_memory(self.context), True)
        prefill = self.decode(0, prompt)
        decode = sum(self.decode(prompt + i, 1) for i in range(generate))
        return prompt / prefill, generate / decode


def weight_buffers():
    """Where llama.cpp put the weights, in its words: a plain mapping, or repacked for some instruction set."""
    lines = "".join(_log).splitlines()
    kept = [line.split(":", 1)[1] for line in lines if "model buffer size" in line]
    return [" ".join(line.replace("model buffer size =", "").split()) for line in kept]


def main():
    path = sys.argv[1]
    prompt, generate, repeats, threads = map(int, sys.argv[2:])
    session = Session(path, prompt + generate, threads)
    rounds = [session.round(prompt, generate) for _ in range(repeats + 1)][1:]
    print(json.dumps({
        "version": llama.__version__,
        "system": llama.llama_print_system_info().decode(),
        "weights": weight_buffers(),
        "prefill": [prefill for prefill, _ in rounds],
        "decode": [decode for _, decode in rounds],
    }))


if __name__ == "__main__":
    main()
