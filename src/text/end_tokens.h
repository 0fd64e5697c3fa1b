// Tokens that end a turn or a text, known by name where a file names only one of them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::text {

inline constexpr std::array<std::string_view, 9> kEndTokenNames = {"</s>",          "<|endoftext|>", "<|end_of_text|>",
                                                                   "<|im_end|>",    "<|eot_id|>",    "<|eom_id|>",
                                                                   "<end_of_turn>", "<|end|>",       "<eos>"};

inline void add_end_id(std::vector<TokenId>& ids, TokenId id) {
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

inline bool is_end_token_name(std::string_view name) {
  return std::find(kEndTokenNames.begin(), kEndTokenNames.end(), name) != kEndTokenNames.end();
}

}  // namespace plimsoll::text
