// A tokenizer.json, then (after the first byte 0xFF, which no JSON holds) a text for it. Whatever the bytes, the file
// is refused with FileError or the tokenizer keeps its promises; the text is also run by one whose alphabet is all
// bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/errors.h"
#include "plimsoll/text/streaming_decoder.h"
#include "plimsoll/text/tokenizer.h"

#include "text/utf8.h"

namespace plimsoll::text {
namespace {

constexpr size_t kMaxTextBytes = 512;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_decoding(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  const std::string text = tokenizer.decode(ids, {.skip_special = false});
  require(is_valid_utf8(text));
  StreamingDecoder decoder(tokenizer, {.skip_special = false});
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string piece = decoder.push(id);
    require(is_valid_utf8(piece));
    streamed += piece;
  }
  require(streamed + decoder.flush() == text);
}

void check_encoding(const Tokenizer& tokenizer, std::string_view text) {
  const auto ids = tokenizer.encode(text, {.add_special = false});
  for (const TokenId id : ids) {
    require(id >= 0 && static_cast<size_t>(id) < tokenizer.vocabulary_size());
    require(!tokenizer.is_control(id) || id == tokenizer.unknown());
  }
  check_decoding(tokenizer, ids);
  check_decoding(tokenizer, tokenizer.encode(text, {.parse_special = true}));
}

// The 256 bytes in GPT-2's spelling, a few merges, and a control token.
Tokenizer tokenizer_of_bytes(const char* pre) {
  static const std::vector<std::string> tokens = [] {
    std::vector<std::string> spellings;
    char32_t next = 0x100;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
      append_utf8(printable ? byte : next++, spellings.emplace_back());
    }
    for (const char* more : {"ĠĠ", "ĠĠĠĠ", "he", "ll", "llo", "hello", "<|im_end|>"}) spellings.emplace_back(more);
    return spellings;
  }();
  static constexpr std::array<std::string_view, 6> kMerges = {"Ġ Ġ", "ĠĠ ĠĠ", "h e", "l l", "ll o", "he llo"};
  GgufTokenizerValues values;
  values.path = "bytes";
  values.model = "gpt2";
  values.pre = pre;
  values.tokens = {tokens.size(), [](size_t i) -> std::string_view { return tokens[i]; }};
  values.token_types = [](size_t i) -> int64_t { return i + 1 == tokens.size() ? 3 : 1; };
  values.token_type_count = tokens.size();
  values.merges = {kMerges.size(), [](size_t i) { return kMerges[i]; }};
  return Tokenizer(spec_from_gguf_values(values));
}

void check_round_trip(const Tokenizer& tokenizer, std::string_view text) {
  check_encoding(tokenizer, text);
  std::string repaired;
  append_repaired(text, repaired);
  require(tokenizer.decode(tokenizer.encode(text)) == repaired);
}

void run_file(std::string_view json, std::string_view text) {
  try {
    const Tokenizer tokenizer(spec_from_tokenizer_json(json, "fuzz"));
    check_encoding(tokenizer, text);
  } catch (const FileError&) {
    // refused, as it should be
  } catch (const std::runtime_error&) {
    // a pattern or a normalizer that gives up on the text
  }
}

}  // namespace
}  // namespace plimsoll::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plimsoll::text;
  static const std::vector<Tokenizer> bytes = [] {
    std::vector<Tokenizer> tokenizers;
    for (const char* pre : {"gpt-2", "smollm", "llama-bpe"}) tokenizers.push_back(tokenizer_of_bytes(pre));
    return tokenizers;
  }();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\xFF');
  const std::string_view text =
      (end == std::string_view::npos ? input : input.substr(end + 1)).substr(0, kMaxTextBytes);
  for (const Tokenizer& tokenizer : bytes) check_round_trip(tokenizer, text);
  run_file(input.substr(0, end), text);
  return 0;
}
