#include "plimsoll/text/chat_template.h"

#include <array>
#include <initializer_list>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/quote.h"

namespace plimsoll::text {

namespace {

constexpr std::string_view kSmolLm2System = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
constexpr std::string_view kQwen2System = "You are a helpful assistant.";
constexpr std::string_view kQwen25System = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

struct NamedTemplate {
  std::string_view name;
  ChatFamily family;
  std::string_view default_system;
  std::string_view bos;
  std::string_view eos;

  ChatTemplate get() const { return {family, std::string(default_system), std::string(bos), std::string(eos)}; }
};

constexpr std::array kTemplates = {
    NamedTemplate{"chatml", ChatFamily::kChatMl, "", "", ""},
    NamedTemplate{"smollm2", ChatFamily::kChatMl, kSmolLm2System, "", ""},
    NamedTemplate{"qwen2", ChatFamily::kChatMl, kQwen2System, "", ""},
    NamedTemplate{"qwen2.5", ChatFamily::kChatMl, kQwen25System, "", ""},
    NamedTemplate{"qwen3", ChatFamily::kQwen3, "", "", ""},
    NamedTemplate{"llama2", ChatFamily::kLlama2, "", "<s>", "</s>"},
    NamedTemplate{"llama3", ChatFamily::kLlama3, "", "<|begin_of_text|>", ""},
    NamedTemplate{"llama3.1", ChatFamily::kLlama31, "", "<|begin_of_text|>", ""},
    NamedTemplate{"gemma", ChatFamily::kGemma, "", "<bos>", ""},
    NamedTemplate{"mistral", ChatFamily::kMistral, "", "<s>", "</s>"},
    NamedTemplate{"zephyr", ChatFamily::kZephyr, "", "", "</s>"},
};

// A template's text, asked for what it says.
class TemplateText {
 public:
  explicit TemplateText(std::string_view text) : text_(text) {}

  bool has(std::string_view part) const { return text_.find(part) != std::string_view::npos; }

  bool has_all(std::initializer_list<std::string_view> parts) const {
    for (const std::string_view part : parts) {
      if (!has(part)) return false;
    }
    return true;
  }

  bool has_any(std::initializer_list<std::string_view> parts) const {
    for (const std::string_view part : parts) {
      if (has(part)) return true;
    }
    return false;
  }

  // What stands after the one place of `before` up to `after`, if it is plain words.
  std::optional<std::string_view> between(std::string_view before, std::string_view after) const {
    const size_t found = text_.find(before);
    if (found == std::string_view::npos || text_.find(before, found + 1) != std::string_view::npos) return std::nullopt;
    const size_t begin = found + before.size();
    const size_t end = text_.find(after, begin);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view words = text_.substr(begin, end - begin);
    if (words.find_first_of("'\"{}\\\n") != std::string_view::npos) return std::nullopt;
    return words;
  }

 private:
  std::string_view text_;
};

// ChatML without tools, pictures or thoughts; the default system message, where it has one, is read from its text.
std::optional<ChatTemplate> recognise_chatml(const TemplateText& text) {
  if (text.has_all({"enable_thinking", "reasoning_content", "last_query_index", "<tool_response>", "is false"})) {
    return chat_template_by_name("qwen3");
  }
  if (text.has(kQwen25System) && text.has("<tool_call>") && !text.has_any({"<think>", "image", "video"})) {
    return chat_template_by_name("qwen2.5");
  }
  if (text.has_any({"tool", "think", "image", "strip", "trim", "raise_exception", "eos_token", "loop.last"})) {
    return std::nullopt;
  }
  if (!text.has_all({"<|im_end|>", "add_generation_prompt"})) return std::nullopt;
  ChatTemplate chat = chat_template_by_name("chatml");
  if (!text.has("system")) return chat;
  for (const std::string_view before : {"<|im_start|>system\\n", "<|im_start|>system\n"}) {
    if (const auto words = text.between(before, "<|im_end|>")) {
      chat.default_system = *words;
      return chat;
    }
  }
  return std::nullopt;
}

std::optional<ChatTemplate> recognise_inst(const TemplateText& text) {
  if (text.has_any({"tool", "AVAILABLE", "SYSTEM_PROMPT"})) return std::nullopt;
  if (text.has_all(
          {"<<SYS>>", "bos_token + '[INST] ' + content.strip() + ' [/INST]'", "content.strip() + ' ' + eos_token"})) {
    return chat_template_by_name("llama2");
  }
  if (text.has_all({"'[INST] ' + message['content'] + ' [/INST]'", "message['content'] + eos_token"}) &&
      !text.has_any({"<<SYS>>", "system", "eos_token + ' '", "eos_token+ ' '"})) {
    return chat_template_by_name("mistral");
  }
  return std::nullopt;
}

std::optional<ChatTemplate> recognise_llama3(const TemplateText& text) {
  if (!text.has_all({"<|end_header_id|>", "<|eot_id|>", "bos_token", "trim"})) return std::nullopt;
  if (text.has_all({"Cutting Knowledge Date: December 2023", "Today Date: ", "26 Jul 2024"})) {
    return chat_template_by_name("llama3.1");
  }
  if (text.has_any({"tool", "date", "system", "strftime"})) return std::nullopt;
  return chat_template_by_name("llama3");
}

std::string_view first_line(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::optional<ChatTemplate> recognise_chat_template(std::string_view template_text) {
  const TemplateText text(template_text);
  if (text.has("<|im_start|>")) return recognise_chatml(text);
  if (text.has("<|start_header_id|>")) return recognise_llama3(text);
  if (text.has("[INST]")) return recognise_inst(text);
  if (text.has("<start_of_turn>")) {
    if (!text.has_all({"<end_of_turn>", "System role not supported", "'model'", "trim"})) return std::nullopt;
    return chat_template_by_name("gemma");
  }
  if (text.has_all({"<|user|>", "<|system|>", "<|assistant|>", "message['content'] + eos_token", "loop.last"}) &&
      !text.has_any({"tool", "trim", "strip", "<|end|>", "bos_token"})) {
    return chat_template_by_name("zephyr");
  }
  return std::nullopt;
}

ChatTemplate chat_template_from_text(std::string_view text, const std::string& path) {
  if (auto chat = recognise_chat_template(text)) return *std::move(chat);
  throw FileError(path,
                  fmt::format("chat_template: this template is not supported: {}; use --chat-format NAME with one "
                              "of {}, or --raw for a prompt without template",
                              base::quote(first_line(text)), fmt::join(chat_template_names(), ", ")));
}

ChatTemplate chat_template_by_name(std::string_view name) {
  for (const NamedTemplate& entry : kTemplates) {
    if (entry.name == name) return entry.get();
  }
  throw std::invalid_argument(fmt::format("[chat] format {} is not known; known are {}", base::quote(name),
                                          fmt::join(chat_template_names(), ", ")));
}

std::vector<std::string_view> chat_template_names() {
  std::vector<std::string_view> names;
  names.reserve(kTemplates.size());
  for (const NamedTemplate& entry : kTemplates) names.push_back(entry.name);
  return names;
}

}  // namespace plimsoll::text
