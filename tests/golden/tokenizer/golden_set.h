// The golden set of the tokenizer tests, as generate.py writes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plimsoll/text/tokenizer.h"
#include "base/json.h"

namespace plimsoll::golden {

// The texts, as bytes.
inline std::vector<std::string> load_texts(const std::filesystem::path& folder) {
  const auto document = base::load_json((folder / "texts.json").string());
  std::vector<std::string> texts;
  for (size_t i = 0; i < document.root().size(); ++i) {
    const base::JsonValue entry = document.root().element(i);
    if (entry.is_string()) {
      texts.emplace_back(entry.to_string("text"));
      continue;
    }
    const std::string hex(entry.get_string("hex"));
    std::string& text = texts.emplace_back();
    for (size_t at = 0; at < hex.size(); at += 2) text += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return texts;
}

struct ReferenceIds {
  std::vector<std::vector<text::TokenId>> plain;
  std::map<size_t, std::vector<text::TokenId>> parsed;  // where recognising control tokens changes the ids
  std::map<size_t, std::string> decoded;                // where decoding does not give the text back
};

inline std::vector<text::TokenId> ids_of(const base::JsonValue& list) {
  std::vector<text::TokenId> ids;
  for (size_t i = 0; i < list.size(); ++i) ids.push_back(static_cast<text::TokenId>(list.element(i).to_int("ids")));
  return ids;
}

inline ReferenceIds load_ids(const std::filesystem::path& folder, const std::string& name) {
  const auto document = base::load_json((folder / (name + ".ids.json")).string());
  ReferenceIds reference;
  const base::JsonValue plain = document.root().at("plain");
  for (size_t i = 0; i < plain.size(); ++i) reference.plain.push_back(ids_of(plain.element(i)));
  const base::JsonValue parsed = document.root().at("parsed");
  for (size_t i = 0; i < parsed.size(); ++i) {
    reference.parsed[std::stoul(std::string(parsed.member(i).key))] = ids_of(parsed.member(i).value);
  }
  const base::JsonValue decoded = document.root().at("decoded");
  for (size_t i = 0; i < decoded.size(); ++i) {
    const auto [key, value] = decoded.member(i);
    reference.decoded[std::stoul(std::string(key))] = value.to_string("decoded");
  }
  return reference;
}

// Ids of every text, with control tokens as text and recognised, equal the reference's; decoding gives the text back
// wherever the reference's does.
inline void expect_reference(const text::Tokenizer& tokenizer, const std::vector<std::string>& texts,
                             const ReferenceIds& reference) {
  ASSERT_EQ(texts.size(), reference.plain.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    SCOPED_TRACE("text " + std::to_string(i) + ": " + ::testing::PrintToString(texts[i]));
    const auto plain = tokenizer.encode(texts[i], {.add_special = false});
    EXPECT_EQ(plain, reference.plain[i]);
    const auto parsed = reference.parsed.find(i);
    EXPECT_EQ(tokenizer.encode(texts[i], {.add_special = false, .parse_special = true}),
              parsed == reference.parsed.end() ? reference.plain[i] : parsed->second);
    if (reference.decoded.contains(i)) continue;
    const std::vector<text::Segment> whole{{texts[i], false}};
    EXPECT_EQ(tokenizer.encode(whole, {.add_special = false}), plain);
    EXPECT_EQ(tokenizer.encode(tokenizer.decode(plain, {.skip_special = false}), {.add_special = false}), plain);
  }
}

}  // namespace plimsoll::golden
