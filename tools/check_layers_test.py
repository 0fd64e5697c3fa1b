#!/usr/bin/env python3
"""Plants includes in a tree of its own and checks what check_layers finds."""

import tempfile
import unittest
from pathlib import Path

import check_layers


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("include/plimsoll/errors.h", "#pragma once\n")
        self.write("include/plimsoll/array.h", '#include "plimsoll/errors.h"\n')
        self.write("src/base/files.h", '#include "plimsoll/errors.h"\n')
        self.write("src/memory/ledger.h", '#include "base/files.h"\n')
        self.write("src/graph/node.h", '#include "memory/ledger.h"\n#include "plimsoll/array.h"\n')
        self.write("src/io/gguf.h", '#include "graph/node.h"\n')
        self.write("src/lm/model.cpp", '#include "plimsoll/array.h"\n#include "base/files.h"\n#include <vector>\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_only_problem(self, expected):
        self.assertEqual(check_layers.check(self.root), [expected])

    def test_a_clean_tree_passes(self):
        self.assertEqual(check_layers.check(self.root), [])

    def test_base_sees_no_array(self):
        self.write("src/base/json.cpp", '#include "plimsoll/array.h"\n')
        self.assert_only_problem("src/base/json.cpp:1: base must not include plimsoll/array.h (of public)")

    def test_lm_sees_no_internals_of_io(self):
        self.write("src/lm/load.cpp", '#include <string>\n\n#include "io/gguf.h"\n')
        self.assert_only_problem("src/lm/load.cpp:3: lm must not include io/gguf.h (of io)")

    def test_memory_knows_no_graph_by_a_relative_path_either(self):
        self.write("src/memory/cache.cpp", '#include "../graph/node.h"\n')
        self.assert_only_problem("src/memory/cache.cpp:1: memory must not include ../graph/node.h (of graph)")

    def test_public_headers_name_nothing_internal(self):
        self.write("include/plimsoll/memory.h", "#include <memory/ledger.h>\n")
        self.assert_only_problem("include/plimsoll/memory.h:1: public must not include memory/ledger.h (of memory)")

    def test_memory_sees_its_own_public_header_and_no_other(self):
        self.write("include/plimsoll/memory.h", "#include <cstddef>\n")
        self.write("src/memory/pool.h", '#include "plimsoll/memory.h"\n#include "plimsoll/array.h"\n')
        self.assert_only_problem("src/memory/pool.h:2: memory must not include plimsoll/array.h (of public)")

    def test_a_header_below_the_public_api_knows_no_array(self):
        self.write("include/plimsoll/memory.h", '#include "plimsoll/array.h"\n')
        self.assert_only_problem("include/plimsoll/memory.h:1: public must not include plimsoll/array.h (of public)")

    def test_an_unknown_room_is_named(self):
        self.write("src/attic/old.cpp", "")
        self.assert_only_problem("src/attic/old.cpp:1: room 'attic' is not in the list of tools/check_layers.py")

    def test_examples_use_public_headers_alone(self):
        self.write("examples/hello.cpp", '#include <plimsoll/array.h>\n#include "graph/node.h"\n')
        self.assert_only_problem(
            "examples/hello.cpp:2: a program outside the library must not include graph/node.h (of graph)"
        )


if __name__ == "__main__":
    unittest.main()
