#!/usr/bin/env python3
"""Writes the golden set of the tokenizer tests: small tokenizers, texts, and the ids that the reference gives.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3 sentencepiece gguf fonttools
    venv/bin/python tests/golden/tokenizer/generate.py [SmolLM2-135M-Instruct.Q4_1.gguf]

texts.json       the texts; one that is not UTF-8 stands as {"hex": ...}
NAME.json        a tokenizer.json; sentencepiece_gguf.json: tokens, scores and types as a GGUF file holds them
NAME.ids.json    "plain": ids of each text with control tokens taken as text; "parsed": by index, where recognising them
                 changes the ids; "decoded": by index, where decoding "plain" does not give the text back
"""

import io
import json
import pathlib
import sys
import unicodedata

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import strings

FOLDER = pathlib.Path(__file__).parent
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def corpus():
    """Text to train on: the golden texts that are UTF-8, names of characters, and some prose and code."""
    lines = [t.decode() for t in strings.all_texts() if t not in strings.NOT_UTF8 and b"<" not in t and b"\0" not in t]
    lines += [unicodedata.name(chr(c)).capitalize() for c in range(0x20, 0x3000) if unicodedata.category(chr(c))[0] in "LNS"]
    lines += [f"    value_{i} = {i * 7919 % 1000};\n        return value_{i % 9};\n\n" for i in range(200)]
    lines += ["The ship floats by its own line, and the line says how deep it may be loaded.", "你好世界，今天天气很好。", "Привет, как дела?"] * 20
    return lines


def save(name, tokenizer):
    data = json.loads(tokenizer.to_str())
    write(f"{name}.json", data)


def write(name, data):
    (FOLDER / name).write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def byte_level(size, pre, normalizer, special, added=(), **model):
    tokenizer = Tokenizer(models.BPE(**model))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=[], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.add_special_tokens(list(special))
    tokenizer.add_tokens(list(added))
    return tokenizer


def llama3():
    pre = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    tokenizer = byte_level(2000, pre, None, special, ignore_merges=True)
    bos = ("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), processors.TemplateProcessing(single=f"{bos[0]} $A", special_tokens=[bos])])
    return tokenizer


def qwen2():
    pre = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN2), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    added = [AddedToken(t, normalized=False, special=False) for t in ("<tool_call>", "</tool_call>")]
    return byte_level(2000, pre, normalizers.NFC(), ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], added)


def mixed():
    """The steps and flags that the others leave out."""
    normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip(), normalizers.Replace(Regex(r"[\t\x0b]+"), " ")])
    pre = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.Split("-", "merged_with_previous"), pre_tokenizers.Split("_", "merged_with_next"),
        pre_tokenizers.Split(Regex(r"[!?\s]"), "contiguous"), pre_tokenizers.Split("\u00b6", "removed"), pre_tokenizers.Split(Regex(r"\w+|\W+"), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)])
    flags = [AddedToken("WORD", single_word=True, normalized=False), AddedToken("LSTRIP", lstrip=True, normalized=False), AddedToken("RSTRIP", rstrip=True, normalized=False),
             AddedToken("BOTH", lstrip=True, rstrip=True, normalized=False), AddedToken("NORM", normalized=True)]
    return byte_level(1000, pre, normalizer, ["<s>", "</s>"], flags)


def train_sentence_piece():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line for text in corpus() for line in text.split("\n") if line), model_writer=model, model_type="bpe", vocab_size=2400,
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, allow_whitespace_only_pieces=True, split_digits=True,
        character_coverage=0.985, num_threads=1, minloglevel=2)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def piece_type(sp, i):
    return 2 if sp.is_unknown(i) else 3 if sp.is_control(i) else 6 if sp.is_byte(i) else 5 if sp.is_unused(i) else 1


def merges_of(sp):
    """Every pair of pieces whose join is a piece, the best join first."""
    pieces = {sp.id_to_piece(i): i for i in range(sp.get_piece_size()) if piece_type(sp, i) == 1}
    rules = []
    for piece, i in pieces.items():
        rules += [(i, pieces[piece[:n]], pieces[piece[n:]]) for n in range(1, len(piece)) if piece[:n] in pieces and piece[n:] in pieces]
    rules.sort(key=lambda rule: (-sp.get_score(rule[0]), rule[1], rule[2]))
    return [(sp.id_to_piece(left), sp.id_to_piece(right)) for _, left, right in rules]


def sentence_piece_tokenizer(sp):
    vocab = {sp.id_to_piece(i): i for i in range(sp.get_piece_size())}
    tokenizer = Tokenizer(models.BPE(vocab, merges_of(sp), unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in ("<unk>", "<s>", "</s>")])
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def metaspace(sp):
    """SentencePiece pieces without byte tokens: unknown characters are the unknown token."""
    vocab = {piece: i for i, piece in enumerate(p for p in map(sp.id_to_piece, range(sp.get_piece_size())) if not p.startswith("<0x"))}
    tokenizer = Tokenizer(models.BPE(vocab, merges_of(sp), unk_token="<unk>", fuse_unk=True))
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in ("<unk>", "<s>", "</s>")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    return tokenizer


def smollm2(path):
    import gguf

    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(rule.split(" ")) for rule in fields["tokenizer.ggml.merges"].contents()]
    types = fields["tokenizer.ggml.token_type"].contents()
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([t for t, kind in zip(tokens, types) if kind == 3])
    return tokenizer


def reference_ids(tokenizer, texts):
    plain, parsed, decoded = [], {}, {}
    for i, text in enumerate(texts):
        tokenizer.encode_special_tokens = True
        plain.append(tokenizer.encode(text, add_special_tokens=False).ids)
        back = tokenizer.decode(plain[-1], skip_special_tokens=False)
        if back != text:
            decoded[str(i)] = back
        tokenizer.encode_special_tokens = False
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if ids != plain[-1]:
            parsed[str(i)] = ids
    return {"plain": plain, "parsed": parsed, "decoded": decoded}


def sentence_piece_ids(sp, texts):
    plain = [sp.encode(text) for text in texts]
    return {"plain": plain, "parsed": {}, "decoded": {str(i): sp.decode(ids) for i, ids in enumerate(plain) if sp.decode(ids) != texts[i]}}


def as_json(text):
    try:
        return text.decode()
    except UnicodeDecodeError:
        return {"hex": text.hex()}


def main():
    raw = strings.all_texts()
    texts = [text.decode(errors="replace") for text in raw]
    write("texts.json", [as_json(text) for text in raw])
    sp = train_sentence_piece()
    ids = range(sp.get_piece_size())
    write("sentencepiece_gguf.json", {"tokens": [sp.id_to_piece(i) for i in ids], "scores": [sp.get_score(i) for i in ids], "types": [piece_type(sp, i) for i in ids]})
    write("sentencepiece_gguf.ids.json", sentence_piece_ids(sp, texts))
    made = {"llama3": llama3(), "qwen2": qwen2(), "mixed": mixed(), "sentencepiece": sentence_piece_tokenizer(sp), "metaspace": metaspace(sp)}
    for name, tokenizer in made.items():
        save(name, tokenizer)
        write(f"{name}.ids.json", reference_ids(tokenizer, texts))
    if len(sys.argv) > 1:
        write("smollm2.ids.json", reference_ids(smollm2(sys.argv[1]), texts))
    print(len(texts), "texts")


if __name__ == "__main__":
    main()
