#!/usr/bin/env python3
"""Writes a kernel's SPIR-V as C++.

usage: embed_kernel.py NAME OUT.cpp [CODE.spv]       without code the kernel is empty
"""

import hashlib
import struct
import sys
from pathlib import Path

TEMPLATE = """// Made by tools/embed_kernel.py.
#include "kernels/kernels.h"

namespace plimsoll::kernels {{
namespace {{

{words}
}}  // namespace

const hal::KernelCode {name}{{"{name}", {span}, {hash:#018x}u}};

}}  // namespace plimsoll::kernels
"""


def main(arguments):
    name, out = arguments[0], Path(arguments[1])
    code = Path(arguments[2]).read_bytes() if len(arguments) > 2 else b""
    words = struct.unpack(f"<{len(code) // 4}I", code)
    lines = [", ".join(f"{word:#x}" for word in words[i : i + 16]) + "," for i in range(0, len(words), 16)]
    text = TEMPLATE.format(
        name=name,
        words=("constexpr uint32_t kCode[] = {\n" + "\n".join(lines) + "\n};\n") if words else "",
        span="kCode" if words else "{}",
        hash=int.from_bytes(hashlib.sha256(code).digest()[:8], "little"),
    )
    out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
