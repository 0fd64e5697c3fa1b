// What a tokenizer is made of, free of any file format: the loaders fill a TokenizerSpec, a Tokenizer is built from it.
//
// Accessors may refer to a mapped file; they are called only while a Tokenizer is being built, which copies what it
// needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::text {

using TokenId = int32_t;

// A table of strings by index, wherever they lie. `at(i)` is valid for i < count; the view lives as long as the table.
struct StringTable {
  size_t count = 0;
  std::function<std::string_view(size_t)> at;
};

// Merge rules from the most urgent to the least: the texts of the left and the right token, as the vocabulary spells
// them.
struct MergeRules {
  size_t count = 0;
  std::function<std::pair<std::string_view, std::string_view>(size_t)> at;
};

enum class ModelKind {
  kByteLevelBpe,      // the alphabet is the 256 bytes, spelled as GPT-2 spells them
  kSentencePieceBpe,  // the alphabet is characters, with U+2581 for the space and <0xNN> for bytes of unknown
                      // characters
};

// As GGUF numbers them.
enum class TokenType : uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

// A token found in the text before the model sees it. The flags mean what they mean in Hugging Face's tokenizer.json.
struct AddedToken {
  TokenId id = 0;
  std::string content;
  bool special = false;      // a control token: never made from text unless the caller asks
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // looked for in the normalized text instead of the text as given
};

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };
struct LowercaseStep {};
struct ReplaceStep {
  std::string pattern;
  bool is_regex = false;
  std::string content;
};
struct PrependStep {
  std::string content;  // nothing is put before an empty text
};
struct StripStep {
  bool left = true;
  bool right = true;
};
using NormalizerStep = std::variant<UnicodeForm, LowercaseStep, ReplaceStep, PrependStep, StripStep>;

// What becomes of the text that a pattern matches.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct SplitStep {
  std::string pattern;
  bool is_regex = true;  // in the dialect of Oniguruma (Ruby's), as tokenizer.json holds it
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;  // the matches are what lies between the pattern's matches
};
struct DigitsStep {
  bool individual = false;
};
struct ByteLevelStep {
  bool add_prefix_space = false;
  bool use_regex = true;  // split by GPT-2's pattern
};
enum class PrependScheme { kAlways, kFirst, kNever };
struct MetaspaceStep {
  std::string replacement = "\u2581";
  PrependScheme prepend = PrependScheme::kAlways;
  bool split = true;
};
using PreTokenizerStep = std::variant<SplitStep, DigitsStep, ByteLevelStep, MetaspaceStep>;

struct TokenizerSpec {
  std::string source;  // path of the file, for messages

  ModelKind kind = ModelKind::kByteLevelBpe;
  StringTable tokens;                      // by id, as the file spells them; an empty text is an id without a token
  std::function<TokenType(size_t)> types;  // absent: all normal
  // Exactly one of the two decides what is merged: the rules in their order, or (SentencePiece) the score of the
  // result.
  MergeRules merges;
  std::function<float(size_t)> scores;
  bool ignore_merges = false;  // a piece that is a token as a whole is that token
  bool byte_fallback = false;
  bool fuse_unknown = false;  // neighbouring unknown characters make one unknown token

  std::vector<AddedToken> added_tokens;
  std::vector<NormalizerStep> normalizers;
  std::vector<PreTokenizerStep> pre_tokenizers;

  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> unknown;
  std::vector<TokenId> end_ids;      // tokens that end a turn or a text, eos included
  std::vector<TokenId> prefix;       // put before a text when special tokens are asked for
  std::vector<TokenId> suffix;       // and after it
  bool strip_leading_space = false;  // decoding drops one space at the very start
};

// The tokenizer values of a GGUF file, under their `tokenizer.ggml.` names. The reader of the file fills it.
struct GgufTokenizerValues {
  std::string path;   // of the file, for messages
  std::string model;  // "gpt2" or "llama"
  std::string pre;    // which pre-tokenizer "gpt2" has
  StringTable tokens;
  std::function<int64_t(size_t)> token_types;  // absent: all normal
  size_t token_type_count = 0;
  std::function<float(size_t)> scores;
  size_t score_count = 0;
  StringTable merges;  // "left right"
  std::optional<int64_t> bos_token_id;
  std::optional<int64_t> eos_token_id;
  std::optional<int64_t> eot_token_id;
  std::optional<int64_t> unknown_token_id;
  std::optional<bool> add_bos_token;
  std::optional<bool> add_eos_token;
  std::optional<bool> add_space_prefix;
};

// FileError naming the path and the key for a model or pre-tokenizer that is not known, and for counts and ids that do
// not fit each other. The result refers to the accessors of `values`.
TokenizerSpec spec_from_gguf_values(const GgufTokenizerValues& values);

// Reads a Hugging Face tokenizer.json. `path` names the file in messages. FileError naming the path and the field for
// what is malformed, and by its type's name for what is not supported. The result owns its texts; `json` may go.
TokenizerSpec spec_from_tokenizer_json(std::string_view json, const std::string& path);

}  // namespace plimsoll::text
