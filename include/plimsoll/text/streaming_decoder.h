// Token ids to text as they come: every piece is whole characters, and the pieces joined are the one-shot decode.
#pragma once

#include <string>
#include <string_view>

#include "plimsoll/text/tokenizer.h"

namespace plimsoll::text {

// Turns bytes that arrive in any parts into valid UTF-8. A character is held back until it is complete; bytes that can
// no longer become one are given as U+FFFD, one for each maximal ill-formed part.
class Utf8Stream {
 public:
  std::string push(std::string_view bytes);  // may be empty
  std::string flush();                       // what is held back; the stream then starts anew

 private:
  std::string pending_;
};

// Refers to its tokenizer, which must outlive it. Not for use by two threads at once.
class StreamingDecoder {
 public:
  explicit StreamingDecoder(const Tokenizer& tokenizer, const DecodeOptions& options = {});

  // The text that `id` completes; empty while a character is incomplete. std::out_of_range as Tokenizer::decode.
  std::string push(TokenId id);

  // Ends the stream: U+FFFD if it stops inside a character. The decoder then starts anew.
  std::string flush();

 private:
  const Tokenizer* tokenizer_;
  DecodeOptions options_;
  DecodeOptions current_;
  Utf8Stream stream_;
};

}  // namespace plimsoll::text
