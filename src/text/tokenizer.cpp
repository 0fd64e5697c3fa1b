#include "plimsoll/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "plimsoll/errors.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace plimsoll::text {

namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr std::string_view kSpaceMark = "\u2581";

std::vector<AddedToken> with_normalized(const TokenizerSpec& spec, bool normalized) {
  std::vector<AddedToken> tokens;
  std::copy_if(spec.added_tokens.begin(), spec.added_tokens.end(), std::back_inserter(tokens),
               [&](const AddedToken& token) { return token.normalized == normalized; });
  return tokens;
}

// Builds a part whose constructor gives std::invalid_argument for a bad pattern.
template <typename Part, typename Steps>
Part compiled(const TokenizerSpec& spec, std::string_view field, const Steps& steps) {
  try {
    return Part(steps);
  } catch (const std::invalid_argument& error) {
    throw FileError(spec.source, fmt::format("{}: {}", field, error.what()));
  }
}

// A text given in parts, repaired, with the ranges in which control tokens may be found.
class JoinedText {
 public:
  explicit JoinedText(std::span<const Segment> segments) {
    for (const Segment& segment : segments) add(segment.text, segment.is_control);
  }

  JoinedText(std::string_view text, bool is_control) { add(text, is_control); }

  std::string_view text() const { return text_; }

  bool allows_control(size_t begin, size_t end) const {
    const auto after =
        std::upper_bound(control_.begin(), control_.end(), begin,
                         [](size_t at, const std::pair<size_t, size_t>& range) { return at < range.first; });
    return after != control_.begin() && end <= std::prev(after)->second;
  }

 private:
  void add(std::string_view text, bool is_control) {
    if (text.size() > kMaxTextBytes - std::min(kMaxTextBytes, text_.size())) {
      throw std::invalid_argument("[tokenizer] a text of more than 1 GiB cannot be encoded at once");
    }
    const size_t begin = text_.size();
    append_repaired(text, text_);
    if (!is_control) return;
    if (!control_.empty() && control_.back().second == begin) {
      control_.back().second = text_.size();
    } else {
      control_.emplace_back(begin, text_.size());
    }
  }

  std::string text_;
  std::vector<std::pair<size_t, size_t>> control_;
};

struct Scratch {
  PreTokenizerScratch pieces;
  BpeScratch bpe;
};

}  // namespace

class Tokenizer::Impl {
 public:
  explicit Impl(const TokenizerSpec& spec)
      : kind_(spec.kind),
        vocabulary_(spec),
        bpe_(spec, vocabulary_),
        normalizer_(compiled<Normalizer>(spec, "normalizer", spec.normalizers)),
        pre_tokenizer_(compiled<PreTokenizer>(spec, "pre_tokenizer", spec.pre_tokenizers)),
        raw_added_(with_normalized(spec, false)),
        normalized_added_(normalized_contents(with_normalized(spec, true))),
        bos_(spec.bos),
        eos_(spec.eos),
        unknown_(spec.unknown),
        end_ids_(spec.end_ids),
        prefix_(spec.prefix),
        suffix_(spec.suffix),
        strip_leading_space_(spec.strip_leading_space) {
    check_ids(spec);
  }

  std::vector<TokenId> encode(const JoinedText& text) const {
    std::vector<TokenId> ids;
    Scratch scratch;
    const auto allowed = [&](const AddedToken& token, size_t begin, size_t end) {
      return !token.special || text.allows_control(begin, end);
    };
    for (const AddedSpan& span : raw_added_.split(text.text(), allowed)) {
      if (span.token != nullptr) {
        ids.push_back(span.token->id);
      } else {
        encode_span(text, span, scratch, ids);
      }
    }
    return ids;
  }

  void add_prefix(std::vector<TokenId>& ids) const {
    const bool there = ids.size() >= prefix_.size() && std::equal(prefix_.begin(), prefix_.end(), ids.begin());
    if (!there) ids.insert(ids.begin(), prefix_.begin(), prefix_.end());
  }

  void add_suffix(std::vector<TokenId>& ids) const { ids.insert(ids.end(), suffix_.begin(), suffix_.end()); }

  bool append_bytes(TokenId id, const DecodeOptions& options, std::string& out) const {
    if (!vocabulary_.contains(id)) {
      throw std::out_of_range(
          fmt::format("[decode] token id {} is outside the vocabulary of {} tokens", id, vocabulary_.size()));
    }
    const bool control = vocabulary_.is_control(id);
    if (control && options.skip_special) return false;
    const size_t begin = out.size();
    append_spelling(vocabulary_.text(id), kind_ == ModelKind::kSentencePieceBpe && !control, out);
    if (strip_leading_space_ && options.at_start_of_text && out.size() > begin && out[begin] == ' ')
      out.erase(begin, 1);
    return true;
  }

  const AddedToken* find_added(std::string_view content) const {
    const AddedToken* token = raw_added_.find(content);
    return token != nullptr ? token : normalized_added_.find(content);
  }

  size_t footprint_bytes() const {
    return sizeof(*this) + vocabulary_.footprint_bytes() + bpe_.footprint_bytes() + raw_added_.footprint_bytes() +
           normalized_added_.footprint_bytes();
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::optional<TokenId> bos() const { return bos_; }
  std::optional<TokenId> eos() const { return eos_; }
  std::optional<TokenId> unknown() const { return unknown_; }
  std::span<const TokenId> end_ids() const { return end_ids_; }
  bool adds_bos() const { return bos_ && std::find(prefix_.begin(), prefix_.end(), *bos_) != prefix_.end(); }

 private:
  std::vector<AddedToken> normalized_contents(std::vector<AddedToken> tokens) const {
    RegexScratch scratch;
    for (AddedToken& token : tokens) token.content = normalizer_.run(token.content, scratch);
    return tokens;
  }

  void check_ids(const TokenizerSpec& spec) const {
    const auto check = [&](TokenId id, std::string_view field) {
      if (vocabulary_.contains(id)) return;
      throw FileError(spec.source, fmt::format("{}: token id {} is outside the vocabulary of {} tokens", field, id,
                                               vocabulary_.size()));
    };
    if (bos_) check(*bos_, "bos token");
    if (eos_) check(*eos_, "eos token");
    if (unknown_) check(*unknown_, "unknown token");
    for (const TokenId id : end_ids_) check(id, "end tokens");
    for (const TokenId id : prefix_) check(id, "tokens before a text");
    for (const TokenId id : suffix_) check(id, "tokens after a text");
    for (const AddedToken& token : spec.added_tokens) check(token.id, "added_tokens");
  }

  // A stretch without added tokens as given: normalized, it may show those that are looked for only then.
  void encode_span(const JoinedText& text, const AddedSpan& span, Scratch& scratch, std::vector<TokenId>& ids) const {
    const std::string_view given = text.text().substr(span.begin, span.end - span.begin);
    std::string rewritten;
    if (!normalizer_.is_identity()) rewritten = normalizer_.run(given, scratch.pieces.regex);
    const std::string_view normalized = normalizer_.is_identity() ? given : rewritten;
    const bool control_allowed = text.allows_control(span.begin, span.end);
    const auto allowed = [&](const AddedToken& token, size_t, size_t) { return !token.special || control_allowed; };
    for (const AddedSpan& part : normalized_added_.split(normalized, allowed)) {
      if (part.token != nullptr) {
        ids.push_back(part.token->id);
        continue;
      }
      const Piece piece{normalized.substr(part.begin, part.end - part.begin), span.begin == 0 && part.begin == 0};
      for (const Piece& word : pre_tokenizer_.run(piece, scratch.pieces)) bpe_.encode(word.text, scratch.bpe, ids);
    }
  }

  static void append_spelling(std::string_view spelling, bool has_space_marks, std::string& out) {
    size_t mark = has_space_marks ? spelling.find(kSpaceMark) : std::string_view::npos;
    while (mark != std::string_view::npos) {
      out += spelling.substr(0, mark);
      out += ' ';
      spelling.remove_prefix(mark + kSpaceMark.size());
      mark = spelling.find(kSpaceMark);
    }
    out += spelling;
  }

  ModelKind kind_;
  Vocabulary vocabulary_;
  Bpe bpe_;
  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  AddedTokenMatcher raw_added_;
  AddedTokenMatcher normalized_added_;
  std::optional<TokenId> bos_;
  std::optional<TokenId> eos_;
  std::optional<TokenId> unknown_;
  std::vector<TokenId> end_ids_;
  std::vector<TokenId> prefix_;
  std::vector<TokenId> suffix_;
  bool strip_leading_space_;
};

Tokenizer::Tokenizer(const TokenizerSpec& spec) : impl_(std::make_unique<const Impl>(spec)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  auto ids = impl_->encode(JoinedText(text, options.parse_special));
  if (options.add_special) {
    impl_->add_prefix(ids);
    impl_->add_suffix(ids);
  }
  return ids;
}

std::vector<TokenId> Tokenizer::encode(std::span<const Segment> segments, const EncodeOptions& options) const {
  auto ids = impl_->encode(JoinedText(segments));
  if (options.add_special) impl_->add_prefix(ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, const DecodeOptions& options) const {
  std::string bytes;
  DecodeOptions current = options;
  for (const TokenId id : ids) {
    if (impl_->append_bytes(id, current, bytes)) current.at_start_of_text = false;
  }
  std::string text;
  append_repaired(bytes, text);
  return text;
}

bool Tokenizer::append_bytes(TokenId id, const DecodeOptions& options, std::string& out) const {
  return impl_->append_bytes(id, options, out);
}

size_t Tokenizer::vocabulary_size() const { return impl_->vocabulary().size(); }
std::optional<TokenId> Tokenizer::bos() const { return impl_->bos(); }
std::optional<TokenId> Tokenizer::eos() const { return impl_->eos(); }
std::optional<TokenId> Tokenizer::unknown() const { return impl_->unknown(); }
std::span<const TokenId> Tokenizer::end_ids() const { return impl_->end_ids(); }
bool Tokenizer::adds_bos() const { return impl_->adds_bos(); }
size_t Tokenizer::footprint_bytes() const { return impl_->footprint_bytes(); }

bool Tokenizer::is_control(TokenId id) const {
  return impl_->vocabulary().contains(id) && impl_->vocabulary().is_control(id);
}

std::optional<TokenId> Tokenizer::find_added(std::string_view content) const {
  const AddedToken* token = impl_->find_added(content);
  return token == nullptr ? std::nullopt : std::optional<TokenId>(token->id);
}

}  // namespace plimsoll::text
