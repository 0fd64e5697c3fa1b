"""The texts of the golden set: bytes, some of them not UTF-8."""

import random
import unicodedata

from fontTools import unicodedata as scripts

SEED = 20240607


def script_samples():
    """One text for each script that Unicode 14 assigns: letters, marks and digits of it, in words."""
    by_script = {}
    for code in range(0x20, 0x110000):
        char = chr(code)
        if unicodedata.category(char) in ("Cn", "Cs", "Co"):
            continue
        by_script.setdefault(scripts.script(char), []).append(char)
    rng = random.Random(SEED)
    for script in sorted(by_script):
        if script == "Zzzz":
            continue
        chars = by_script[script]
        yield " ".join("".join(rng.choice(chars) for _ in range(4)) for _ in range(3)) + "".join(chars[:3])


WHITE_SPACE = [
    *(" " * n + "Hello" for n in range(1, 9)),
    *("a" + " " * n + "b" for n in range(1, 9)),
    *("x" + " " * n for n in (1, 2, 3, 5, 16)),
    *("\n" * n for n in range(1, 6)),
    *(" \n" * n + "x" for n in range(1, 5)),
    "\r\n\r\n", "a\r\nb\r\n\r\n c", "\r\r\n\n", "a\r\n   b", "\t", "\t\t\tx", " \t \t x \t", "a\tb\t\tc", "if x:\n\treturn\n\t\ty\n",
    "def f(x):\n    return x + 1\n\n\nclass A:\n        pass\n", "line \n  next\n\n   \n end  ", "\u00a0", "a\u00a0b", "a \u00a0 b",
    "\u00a0\u00a0\u00a0x", "\u1680a\u2000b\u2003c\u2009d\u200ae", "\u2028", "a\u2028b\u2029c", "\u2029 \ua3e4", "\u202f\u205f\u3000x",
    "\u3000\u3000中", "\u0085", "a\u0085\u0085b", "\u180ea", "a\u180eb \u180e c", "\u200bzero\u200bwidth", "\ufeffbom", "\x0b\x0c", "a\x0bb\x0cc",
    "", " ", "  ", "   ", "\n \n", "\n\n \n\n", "  \n\n  a",
]

CONTROL = [
    *(chr(c) for c in range(0x20)), *(f"a{chr(c)}b" for c in (0, 1, 7, 8, 0x1b, 0x1f, 0x7f)), *(chr(c) + " x" for c in range(0x80, 0xA0, 5)),
    "\x00\x00\x00", "\u2066bidi\u2069", "\u202eabc\u202c", "\u00adsoft\u00adhyphen", "\ufff9a\ufffab\ufffb", "\U000e0041\U000e007f",
    "\ue000\uf8ff private", "\U000f0000\U0010fffd", "\ufffd", "\ufffe\uffff", "\ufdd0",
]

DIGITS = [
    "0", "42", "007", "123", "1234", "12345", "123456", "1234567890", "3.14159", "1,000,000.50", "-1e-10", "0x1F", "1st 2nd 3rd", "x1y22z333",
    "9" * 50, "1" * 101, "31415926535897932384626433832795028841971", " 12 345 6789", "2024-06-07T12:34:56Z", "192.168.0.1:8080", "١٢٣٤٥", "१२३४",
    "๑๒๓", "１２３４", "²³¹", "x²+y³", "½ ¼ ¾", "ⅣⅫ", "①②③", "𝟘𝟙𝟚𝟛", "〇一二三", "৳৴৵", "1٢३4", "𐄇𐄈", "50%", "$1.99", "€5 £6 ¥7",
]

EMOJI = [
    "🦙", " this is 🦙.cpp", "👨‍👩‍👧‍👦", "👩🏽‍🚀 in space", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪🇫🇷🇯🇵", "1️⃣2️⃣#️⃣", "❤️‍🔥", "☺︎ ☺️", "👍🏿👍🏻", "🫠🫡🫶", "😀😃😄😁😆",
    "a😀b", " 😀 ", "😀\n😀", "🤷‍♂️", "👁️‍🗨️", "⌚️", "™️ © ®", "🧑‍🤝‍🧑", "🐻‍❄️", "🎉🎉🎉 party!", "\u200d", "\ufe0f", "a\u200db", "🏽",
]

WORDS = [
    "Hello, world!", "Hello", " Hello", "hello world", "HELLO WORLD", "The quick brown fox jumps over the lazy dog.", "I'm you're he's we'll they've I'd don't",
    "I'M YOU'RE HE'S WE'LL THEY'VE I'D DON'T", "'s 't 're 've 'm 'll 'd", "it'ſ", "'S'T'RE'VE'M'LL'D", "''s'", "o'clock", "rock 'n' roll", "’s curly’t", "d'accord l'été",
    "caf\u00e9", "cafe\u0301", "\u00e9", "e\u0301", "\u212b \u00c5 A\u030a", "ﬁ ﬂ ﬀ", "ǆ ǅ Ǆ", "Straße STRASSE ẞ", "İstanbul ıI", "Ὀδυσσεύς ΣΑΣ", "Ａｂｃ１", "㎏ ㌔", "ﷺ",
    "\u0344", "a\u0315\u0300\u05ae\u0062", "각 각", "가각힣", "ệ ệ e\u0323\u0302 e\u0302\u0323", "q\u0307\u0323", "\u1e9b\u0323", "x\u0338=", "Ω Ω K K",
    "こんにちは世界", "你好，世界！", "안녕하세요 세계", "Привет, мир!", "Γειά σου Κόσμε", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "ஹலோ உலகம்", "გამარჯობა", "Բարեւ աշխարհ",
    "ሰላም ልዑል", "မင်္ဂလာပါ", "ជំរាបសួរ", "ᠰᠠᠢᠨ", "བཀྲ་ཤིས", "ꓡꓲꓢꓴ", "𓀀𓀁𓂀", "𒀀𒀁", "𐎀𐎁", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "Z͑ͫ̓ͪ̂ͫ̽a̴̵̜̰͔ͫ͗͢l̠ͨͧͩ͘g̴͎͇̞͊o", "ｱｲｳｴｵ", "Tiếng Việt có dấu",
    "for(int i=0;i<10;++i){a[i]*=2;}", "#include <vector>\nint main() { return 0; }\n", "SELECT * FROM t WHERE a='b' AND c>=3;", "https://example.com/a?b=c&d=%20#e", "user.name+tag@example.co.uk",
    "<html><body>&amp;</body></html>", "{\"key\": [1, 2, null, true], \"s\": \"\\u00e9\"}", "C:\\Users\\x\\file.txt", "/usr/local/bin", "snake_case camelCase PascalCase kebab-case", "foo_bar_baz__init__",
    "!!!", "...", "…", "---", "===>", "a!b?c", "!?!?!?", "(((", "\"quoted\"", "“smart” ‘quotes’", "«guillemets»", "a—b–c-d", "*bold* _it_ `code`", "# Title\n\n- a\n- b\n\n1. c\n", "§ ¶ † ‡ •",
    "∀x∈ℝ: x²≥0", "∑∫∂√∞≈≠", "→←↑↓⇒", "α+β=γ", "$\\frac{a}{b}$", "H₂O CO₂", "♠♣♥♦", "█▓▒░", "┌─┐│└┘", "a,b;c:d", "a , b ; c", "tabs\tand  spaces", "trailing space ", " both ", "A" * 40, "ab" * 60,
    "a" * 1000, "the " * 100, "supercalifragilisticexpialidocious", "antidisestablishmentarianism" * 3, "ÀÉÎÕÜ àéîõü çñ øå", "ﬃx", "Ǆ", "ŉa", "\u0149", "don\u02bct",
    "tokenization of text", "Memory limits that hold", "night nights nightly", "low lower lowest newer newest widest",
]

SPECIAL = [
    "<|im_start|>user\nHi<|im_end|>\n", "<|im_end|>", "<|im_start|>system", "a<|im_end|>b", "<|im_start|><|im_start|>", "<|endoftext|>", " <|endoftext|> ", "<|begin_of_text|>", "<|begin_of_text|>Hello<|eot_id|>",
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>", "<s>", "</s>", "<s>[INST] Hi [/INST]", "a</s>b", "<unk>", "<pad>", "<0x0A>", "<0x41>", "<0xFF>", "<tool_call>", "a <tool_call>{}</tool_call> b",
    "<|im_start", "<|im_start|", "|im_start|>", "<|im_<|im_end|>start|>", "<<|im_end|>>", "<|im_end|><|im_end|>", "  <|im_end|>  x", "<|IM_END|>", "<start_of_turn>user\n", "<end_of_turn>", "<bos>", "<eos>",
    "<filename>a.c", "<repo_name>x", "<jupyter_start>", "WORD a WORD", "aWORDb", "WORD,WORD WORDS", "left  LSTRIP x", "x RSTRIP   y", "x   BOTH   y", "LSTRIPLSTRIP", "\n LSTRIP", "BOTH \n BOTH", "ＮＯＲＭ norm NORM", "xNORMx", "▁", "▁▁a", "a▁b", " ▁ ",
]

NOT_UTF8 = [
    b"\xff", b"\xfe\xff", b"\x80", b"a\x80b", b"\xc3", b"\xc3(", b"\xc3\xa9\xc3", b"\xe2\x82", b"\xe2\x82(", b"\xe2(\xa1", b"\xf0\x9f\xa6", b"\xf0\x9f\xa6 ok", b"\xf0\x9f", b"\xf0(\x8c\xbc",
    b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80",
    b"caf\xe9", b"na\xefve r\xe9sum\xe9", b"\xa4\xa2\xa4\xa4", b"ok \xff\xff\xff ok", b"\xf0\x9f\xa6\x99\xf0\x9f\xa6", b"\xe4\xbd\xa0\xe5\xa5", b"<|im_end|\xff>", b"\x00\xff\x00", bytes(range(0x80, 0x100)), bytes(range(256)),
]


def random_texts():
    """Mixtures of all the above, cut and joined anywhere."""
    rng = random.Random(SEED + 1)
    pool = WORDS + WHITE_SPACE + CONTROL + DIGITS + EMOJI + list(script_samples())
    for _ in range(120):
        parts = []
        for _ in range(rng.randint(2, 5)):
            text = rng.choice(pool)
            cut = rng.randint(0, len(text))
            parts.append(text[cut:cut + rng.randint(1, 12)])
        yield rng.choice(["", " ", "\n"]).join(parts)


def all_texts():
    texts = [*WORDS, *WHITE_SPACE, *CONTROL, *DIGITS, *EMOJI, *SPECIAL, *script_samples(), *random_texts()]
    return [text.encode() for text in texts] + NOT_UTF8
