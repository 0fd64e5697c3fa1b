#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plimsoll/errors.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "base/quote.h"

namespace plimsoll::base {
namespace {

// The library's message without its code in brackets, and without the text of an endless token.
std::string plain_message(const std::string& message) {
  constexpr size_t kLongest = 240;
  const size_t start = message.starts_with('[') ? message.find("] ") : std::string::npos;
  std::string plain = start == std::string::npos ? message : message.substr(start + 2);
  if (plain.size() > kLongest) plain = plain.substr(0, kLongest) + "...";
  return plain;
}

// Every value and key but the first follows one of these characters.
size_t nodes_at_most(std::string_view text) {
  const auto starts = [](char c) { return c == '[' || c == '{' || c == ',' || c == ':'; };
  return 1 + static_cast<size_t>(std::count_if(text.begin(), text.end(), starts));
}

// Builds the tree from the parser's events. Nodes of open arrays and objects wait on a stack; closing one moves its
// children to their final place, so that siblings stand together.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(JsonTree& tree, std::string_view text, const JsonLimits& limits) : tree_(tree), limits_(limits) {
    // Reserved once, so that growing never copies; pages that stay unused cost nothing.
    const size_t most = std::min(nodes_at_most(text), limits.max_values + 1);
    tree_.nodes.reserve(most);
    tree_.text.reserve(text.size());
    pending_.reserve(most);
  }

  bool null() override { return add(JsonKind::kNull, 0, 0); }
  bool boolean(bool value) override { return add(JsonKind::kBool, value ? 1 : 0, 0); }
  bool number_integer(int64_t value) override { return add(JsonKind::kInteger, std::bit_cast<uint64_t>(value), 0); }
  bool number_unsigned(uint64_t value) override {
    const bool fits = std::in_range<int64_t>(value);
    return add(fits ? JsonKind::kInteger : JsonKind::kUnsigned, value, 0);
  }
  bool number_float(double value, const std::string&) override {
    return add(JsonKind::kNumber, std::bit_cast<uint64_t>(value), 0);
  }
  bool string(std::string& value) override {
    const size_t place = tree_.text.size();
    tree_.text += value;
    return add(JsonKind::kString, place, value.size());
  }
  bool key(std::string& value) override { return string(value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(JsonKind::kArray, 1); }
  bool end_object() override {
    refuse_duplicates(open_.back());
    return close(JsonKind::kObject, 2);
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    refuse("is not valid JSON: " + plain_message(error.what()));
  }

  void finish() {
    tree_.root = tree_.nodes.size();
    tree_.nodes.push_back(pending_.front());
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw FileError(tree_.path, what); }

  bool add(JsonKind kind, uint64_t payload, size_t size) {
    if (++values_ > limits_.max_values) {
      refuse(fmt::format("JSON: more than {} values, which is the limit for such a file", limits_.max_values));
    }
    pending_.push_back({payload, static_cast<uint32_t>(size), kind});
    return true;
  }

  bool open() {
    if (open_.size() >= limits_.max_depth) {
      refuse(fmt::format("JSON: arrays and objects are nested deeper than {}", limits_.max_depth));
    }
    open_.push_back(pending_.size());
    return true;
  }

  bool close(JsonKind kind, size_t nodes_each) {
    const auto first = pending_.begin() + static_cast<ptrdiff_t>(open_.back());
    const size_t place = tree_.nodes.size();
    const auto count = static_cast<size_t>(pending_.end() - first);
    tree_.nodes.insert(tree_.nodes.end(), first, pending_.end());
    pending_.erase(first, pending_.end());
    open_.pop_back();
    return add(kind, place, count / nodes_each);
  }

  // Sorted, not hashed: no choice of keys makes it slow.
  void refuse_duplicates(size_t first) {
    keys_.clear();
    for (size_t i = first; i < pending_.size(); i += 2) keys_.push_back(tree_.text_of(pending_[i]));
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice != keys_.end()) refuse(fmt::format("JSON: duplicate key {} in one object", quote(*twice)));
  }

  JsonTree& tree_;
  const JsonLimits& limits_;
  std::vector<JsonNode> pending_;
  std::vector<size_t> open_;  // where the children of each open array or object start in pending_
  std::vector<std::string_view> keys_;
  size_t values_ = 0;
};

void check_text(std::string_view text, const std::string& path, const JsonLimits& limits) {
  // The parser takes a zero byte for the end, and would not see what follows.
  const size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    throw FileError(path, fmt::format("JSON: a zero byte stands at offset {}", zero));
  }
  const size_t most = std::min<size_t>(limits.max_bytes, std::numeric_limits<uint32_t>::max());
  if (text.size() <= most) return;
  throw FileError(path, fmt::format("JSON text of {} is longer than the {} that such a file may have",
                                    format_bytes(text.size()), format_bytes(most)));
}

}  // namespace

JsonDocument parse_json(std::string_view text, const std::string& path, const JsonLimits& limits) {
  check_text(text, path, limits);
  auto tree = std::make_unique<JsonTree>();
  tree->path = path;
  TreeBuilder builder(*tree, text, limits);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  builder.finish();
  return JsonDocument(std::move(tree));
}

JsonDocument load_json(const std::string& path, const JsonLimits& limits) {
  return parse_json(read_file(path, limits.max_bytes), path, limits);
}

}  // namespace plimsoll::base
