// A model made on the spot, for machines without network and for tests.
#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::lm {

// Writes a Llama of random weights with a byte tokenizer as a GGUF file of about 2 MB, atomically. The same seed gives
// the same bytes everywhere. The head favours printable characters, so that what it generates is readable, if
// meaningless. WriteError if the file cannot be written.
void make_tiny_model(const std::string& path, uint64_t seed = 20);

}  // namespace plimsoll::lm
