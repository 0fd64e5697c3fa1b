#include "plimsoll/text/streaming_decoder.h"

#include <utility>

#include "text/utf8.h"

namespace plimsoll::text {

std::string Utf8Stream::push(std::string_view bytes) {
  pending_ += bytes;
  std::string text;
  size_t at = 0;
  while (at < pending_.size()) {
    const Utf8Unit unit = utf8_unit(pending_, at);
    if (unit.kind == Utf8Unit::Kind::kIncomplete) break;
    text += unit.kind == Utf8Unit::Kind::kCharacter ? std::string_view(pending_).substr(at, unit.size)
                                                    : kReplacementCharacter;
    at += unit.size;
  }
  pending_.erase(0, at);
  return text;
}

std::string Utf8Stream::flush() {
  std::string text;
  append_repaired(std::exchange(pending_, {}), text);
  return text;
}

StreamingDecoder::StreamingDecoder(const Tokenizer& tokenizer, const DecodeOptions& options)
    : tokenizer_(&tokenizer), options_(options), current_(options) {}

std::string StreamingDecoder::push(TokenId id) {
  std::string bytes;
  if (tokenizer_->append_bytes(id, current_, bytes)) current_.at_start_of_text = false;
  return stream_.push(bytes);
}

std::string StreamingDecoder::flush() {
  current_ = options_;
  return stream_.flush();
}

}  // namespace plimsoll::text
