#include "text/json_steps.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/quote.h"

namespace plimsoll::text {

namespace {

using base::JsonValue;

constexpr std::string_view kSpaceMark = "\u2581";

[[noreturn]] void refuse_type(const JsonValue& part, std::string_view field, std::string_view type) {
  part.fail(std::string(field) + ".type", fmt::format("{} is not supported", base::quote(type)));
}

struct Pattern {
  std::string text;
  bool is_regex;
};

Pattern read_pattern(const JsonValue& part, std::string_view field) {
  const JsonValue pattern = part.at("pattern");
  if (const auto regex = pattern.find("Regex")) return {std::string(regex->to_string("pattern.Regex")), true};
  if (const auto literal = pattern.find("String")) return {std::string(literal->to_string("pattern.String")), false};
  part.fail(std::string(field) + ".pattern", "it is neither a Regex nor a String");
}

SplitBehavior read_behavior(const JsonValue& part) {
  constexpr std::pair<std::string_view, SplitBehavior> kNames[] = {
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  };
  const std::string_view name = part.get_string("behavior");
  for (const auto& [known, behavior] : kNames) {
    if (name == known) return behavior;
  }
  part.fail("pre_tokenizer.behavior", fmt::format("{} is not supported", base::quote(name)));
}

PrependScheme read_prepend_scheme(const JsonValue& part) {
  const bool old_flag = part.get_bool("add_prefix_space", true);
  const std::string_view name = part.get_string("prepend_scheme", old_flag ? "always" : "never");
  if (name == "always") return PrependScheme::kAlways;
  if (name == "first") return PrependScheme::kFirst;
  if (name == "never") return PrependScheme::kNever;
  part.fail("prepend_scheme", fmt::format("{} is not supported", base::quote(name)));
}

MetaspaceStep read_metaspace(const JsonValue& part) {
  const std::string_view replacement = part.get_string("replacement");
  if (replacement != kSpaceMark) part.fail("replacement", fmt::format("{} is not supported", base::quote(replacement)));
  return {std::string(replacement), read_prepend_scheme(part), part.get_bool("split", true)};
}

void read_all(const JsonValue& list, std::string_view field, void (*read)(const JsonValue&, TokenizerSpec&),
              TokenizerSpec& spec) {
  const JsonValue parts = list.to_array(field);
  for (size_t i = 0; i < parts.size(); ++i) read(parts.element(i), spec);
}

TokenId read_id(const JsonValue& value, std::string_view field) {
  const auto id = base::checked_cast<TokenId>(value.to_int(field));
  if (!id || *id < 0) value.fail(field, "it is not a token id");
  return *id;
}

// Ids that a template's special token stands for.
void append_template_ids(const JsonValue& part, std::string_view name, std::vector<TokenId>& ids) {
  const auto entry = part.at("special_tokens").find(name);
  if (!entry) part.fail("post_processor.special_tokens", fmt::format("{} is missing", base::quote(name)));
  const JsonValue list = entry->at("ids").to_array("post_processor.special_tokens.ids");
  for (size_t i = 0; i < list.size(); ++i) ids.push_back(read_id(list.element(i), "post_processor.special_tokens.ids"));
}

void read_template(const JsonValue& part, TokenizerSpec& spec) {
  const JsonValue single = part.at("single").to_array("post_processor.single");
  bool past_text = false;
  for (size_t i = 0; i < single.size(); ++i) {
    if (single.element(i).find("Sequence")) {
      past_text = true;
    } else {
      const std::string_view name = single.element(i).at("SpecialToken").get_string("id");
      append_template_ids(part, name, past_text ? spec.suffix : spec.prefix);
    }
  }
}

void read_pair_ends(const JsonValue& part, TokenizerSpec& spec) {
  for (const auto& [key, ids] : {std::pair("cls", &spec.prefix), std::pair("sep", &spec.suffix)}) {
    const JsonValue pair = part.at(key).to_array(key);
    if (pair.size() != 2) part.fail(key, "it is not a pair of text and id");
    ids->push_back(read_id(pair.element(1), key));
  }
}

void read_byte_level_decoder(const JsonValue& part, std::string_view type) {
  if (type != "ByteLevel") refuse_type(part, "decoder", type);
}

void read_sentence_piece_decoder(const JsonValue& part, std::string_view type, TokenizerSpec& spec) {
  if (type == "ByteFallback" || type == "Fuse") return;
  if (type == "Replace") {
    const Pattern pattern = read_pattern(part, "decoder");
    if (pattern.is_regex || pattern.text != kSpaceMark || part.get_string("content") != " ") {
      part.fail("decoder.pattern", "only the replacement of U+2581 by a space is supported");
    }
  } else if (type == "Strip") {
    if (part.get_string("content") != " " || part.get_int("start") > 1 || part.get_int("stop") != 0) {
      part.fail("decoder.content", "only the removal of one leading space is supported");
    }
    spec.strip_leading_space = part.get_int("start") == 1;
  } else if (type == "Metaspace") {
    spec.strip_leading_space = read_metaspace(part).prepend != PrependScheme::kNever;
  } else {
    refuse_type(part, "decoder", type);
  }
}

}  // namespace

void read_normalizer(const JsonValue& part, TokenizerSpec& spec) {
  const std::string_view type = part.get_string("type");
  auto& steps = spec.normalizers;
  if (type == "Sequence") {
    read_all(part.at("normalizers"), "normalizer.normalizers", read_normalizer, spec);
  } else if (type == "NFC") {
    steps.emplace_back(UnicodeForm::kNfc);
  } else if (type == "NFD") {
    steps.emplace_back(UnicodeForm::kNfd);
  } else if (type == "NFKC") {
    steps.emplace_back(UnicodeForm::kNfkc);
  } else if (type == "NFKD") {
    steps.emplace_back(UnicodeForm::kNfkd);
  } else if (type == "Lowercase") {
    steps.emplace_back(LowercaseStep{});
  } else if (type == "Prepend") {
    steps.emplace_back(PrependStep{std::string(part.get_string("prepend"))});
  } else if (type == "Replace") {
    Pattern pattern = read_pattern(part, "normalizer");
    steps.emplace_back(ReplaceStep{std::move(pattern.text), pattern.is_regex, std::string(part.get_string("content"))});
  } else if (type == "Strip") {
    steps.emplace_back(StripStep{part.get_bool("strip_left"), part.get_bool("strip_right")});
  } else {
    refuse_type(part, "normalizer", type);
  }
}

void read_pre_tokenizer(const JsonValue& part, TokenizerSpec& spec) {
  const std::string_view type = part.get_string("type");
  auto& steps = spec.pre_tokenizers;
  if (type == "Sequence")
    return read_all(part.at("pretokenizers"), "pre_tokenizer.pretokenizers", read_pre_tokenizer, spec);
  if (!steps.empty() && std::holds_alternative<ByteLevelStep>(steps.back())) {
    part.fail("pre_tokenizer", "a step after ByteLevel is not supported");
  }
  if (type == "Split") {
    Pattern pattern = read_pattern(part, "pre_tokenizer");
    steps.emplace_back(
        SplitStep{std::move(pattern.text), pattern.is_regex, read_behavior(part), part.get_bool("invert", false)});
  } else if (type == "Digits") {
    steps.emplace_back(DigitsStep{part.get_bool("individual_digits", false)});
  } else if (type == "ByteLevel") {
    steps.emplace_back(ByteLevelStep{part.get_bool("add_prefix_space", true), part.get_bool("use_regex", true)});
  } else if (type == "Metaspace") {
    steps.emplace_back(read_metaspace(part));
  } else {
    refuse_type(part, "pre_tokenizer", type);
  }
}

void read_post_processor(const JsonValue& part, TokenizerSpec& spec) {
  const std::string_view type = part.get_string("type");
  if (type == "ByteLevel") return;
  if (type == "Sequence") {
    read_all(part.at("processors"), "post_processor.processors", read_post_processor, spec);
  } else if (type == "TemplateProcessing") {
    read_template(part, spec);
  } else if (type == "RobertaProcessing" || type == "BertProcessing") {
    read_pair_ends(part, spec);
  } else {
    refuse_type(part, "post_processor", type);
  }
}

void read_decoder(const JsonValue& part, TokenizerSpec& spec) {
  const std::string_view type = part.get_string("type");
  if (type == "Sequence") {
    read_all(part.at("decoders"), "decoder.decoders", read_decoder, spec);
  } else if (spec.kind == ModelKind::kByteLevelBpe) {
    read_byte_level_decoder(part, type);
  } else {
    read_sentence_piece_decoder(part, type, spec);
  }
}

}  // namespace plimsoll::text
