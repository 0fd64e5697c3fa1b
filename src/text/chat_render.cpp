// One renderer for each family, equal to what the family's Jinja template gives. Trimming is Python's str.strip().
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/text/chat_template.h"

#include "base/quote.h"
#include "text/utf8.h"

namespace plimsoll::text {

namespace {

using Messages = std::span<const ChatMessage>;

// Joins neighbours of one kind, so that a template's words stand in one segment.
class Prompt {
 public:
  Prompt& control(std::string_view text) { return add(text, true); }
  Prompt& literal(std::string_view text) { return add(text, false); }
  std::vector<Segment> finish() { return std::move(segments_); }

 private:
  Prompt& add(std::string_view text, bool is_control) {
    if (text.empty()) return *this;
    if (segments_.empty() || segments_.back().is_control != is_control) segments_.push_back({"", is_control});
    segments_.back().text += text;
    return *this;
  }

  std::vector<Segment> segments_;
};

bool is_python_space(char32_t c) { return is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

std::string_view trimmed_end(std::string_view text) {
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) --at;
    const Utf8Unit unit = utf8_unit(text, at);
    if (unit.kind != Utf8Unit::Kind::kCharacter || !is_python_space(unit.value)) break;
    text.remove_suffix(text.size() - at);
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  text = trimmed_end(text);
  while (!text.empty()) {
    const Utf8Unit unit = utf8_unit(text, 0);
    if (unit.kind != Utf8Unit::Kind::kCharacter || !is_python_space(unit.value)) break;
    text.remove_prefix(unit.size);
  }
  return text;
}

std::string_view without_newlines(std::string_view text, bool at_start, bool at_end) {
  while (at_start && text.starts_with('\n')) text.remove_prefix(1);
  while (at_end && text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

void check_roles(Messages messages) {
  if (messages.empty()) throw std::invalid_argument("[chat] a conversation needs at least one message");
  for (const ChatMessage& message : messages) {
    if (message.role == "system" || message.role == "user" || message.role == "assistant") continue;
    throw std::invalid_argument(fmt::format("[chat] role {} is not supported; known are system, user and assistant",
                                            base::quote(message.role)));
  }
}

void check_alternating(Messages messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string_view expected = i % 2 == 0 ? "user" : "assistant";
    if (messages[i].role == expected) continue;
    throw std::invalid_argument(fmt::format(
        "[chat] message {} is from {}, but this model's turns alternate, beginning with user", i, messages[i].role));
  }
}

bool begins_with_system(Messages messages) { return messages.front().role == "system"; }

void chatml_turn(Prompt& prompt, std::string_view role, std::string_view content) {
  prompt.control("<|im_start|>").control(role).control("\n").literal(content).control("<|im_end|>\n");
}

void render_chatml(Prompt& prompt, const ChatTemplate& chat, Messages messages, const ChatOptions& options) {
  if (!begins_with_system(messages) && !chat.default_system.empty()) {
    prompt.control("<|im_start|>system\n").control(chat.default_system).control("<|im_end|>\n");
  }
  for (const ChatMessage& message : messages) chatml_turn(prompt, message.role, message.content);
  if (options.add_generation_prompt) prompt.control("<|im_start|>assistant\n");
}

// Index of the last thing that the user asked: earlier answers lose their thoughts.
size_t last_query(Messages messages) {
  for (size_t i = messages.size(); i-- > 0;) {
    const std::string_view content = messages[i].content;
    const bool is_response = content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
    if (messages[i].role == "user" && !is_response) return i;
  }
  return messages.size() - 1;
}

struct Answer {
  std::string_view thought;
  std::string_view content;
};

Answer split_thought(std::string_view content) {
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  const size_t first_close = content.find(kClose);
  if (first_close == std::string_view::npos) return {"", content};
  std::string_view thought = without_newlines(content.substr(0, first_close), false, true);
  const size_t open = thought.rfind(kOpen);
  if (open != std::string_view::npos) thought.remove_prefix(open + kOpen.size());
  content.remove_prefix(content.rfind(kClose) + kClose.size());
  return {without_newlines(thought, true, true), without_newlines(content, true, false)};
}

void qwen3_answer(Prompt& prompt, std::string_view text, bool after_last_query, bool is_last) {
  const Answer answer = split_thought(text);
  prompt.control("<|im_start|>assistant\n");
  if (after_last_query && (is_last || !answer.thought.empty())) {
    prompt.control("<think>\n").literal(answer.thought).control("\n</think>\n\n");
    prompt.literal(without_newlines(answer.content, true, false));
  } else {
    prompt.literal(answer.content);
  }
  prompt.control("<|im_end|>\n");
}

void render_qwen3(Prompt& prompt, Messages messages, const ChatOptions& options) {
  const size_t query = last_query(messages);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == "assistant") {
      qwen3_answer(prompt, messages[i].content, i > query, i + 1 == messages.size());
    } else {
      chatml_turn(prompt, messages[i].role, messages[i].content);
    }
  }
  if (!options.add_generation_prompt) return;
  prompt.control("<|im_start|>assistant\n");
  if (!options.enable_thinking) prompt.control("<think>\n\n</think>\n\n");
}

void llama2_question(Prompt& prompt, const ChatTemplate& chat, const std::string* system, std::string_view content) {
  prompt.control(chat.bos).control("[INST] ");
  if (system != nullptr) {
    prompt.control("<<SYS>>\n").literal(*system).control("\n<</SYS>>\n\n").literal(trimmed_end(content));
  } else {
    prompt.literal(trimmed(content));
  }
  prompt.control(" [/INST]");
}

void render_llama2(Prompt& prompt, const ChatTemplate& chat, Messages messages) {
  const std::string* system = begins_with_system(messages) ? &messages.front().content : nullptr;
  if (system != nullptr) messages = messages.subspan(1);
  check_alternating(messages);
  for (const ChatMessage& message : messages) {
    if (message.role == "user") {
      llama2_question(prompt, chat, std::exchange(system, nullptr), message.content);
    } else {
      prompt.control(" ").literal(trimmed(message.content)).control(" ").control(chat.eos);
    }
  }
}

void llama3_turn(Prompt& prompt, std::string_view role, std::string_view content) {
  prompt.control("<|start_header_id|>").control(role).control("<|end_header_id|>\n\n");
  prompt.literal(trimmed(content)).control("<|eot_id|>");
}

void render_llama3(Prompt& prompt, const ChatTemplate& chat, Messages messages, const ChatOptions& options) {
  prompt.control(chat.bos);
  for (const ChatMessage& message : messages) llama3_turn(prompt, message.role, message.content);
  if (options.add_generation_prompt) prompt.control("<|start_header_id|>assistant<|end_header_id|>\n\n");
}

void render_llama31(Prompt& prompt, const ChatTemplate& chat, Messages messages, const ChatOptions& options) {
  prompt.control(chat.bos).control("<|start_header_id|>system<|end_header_id|>\n\n");
  prompt.control("Cutting Knowledge Date: December 2023\nToday Date: ").literal(options.date).control("\n\n");
  if (begins_with_system(messages)) {
    prompt.literal(trimmed(messages.front().content));
    messages = messages.subspan(1);
  }
  prompt.control("<|eot_id|>");
  for (const ChatMessage& message : messages) llama3_turn(prompt, message.role, message.content);
  if (options.add_generation_prompt) prompt.control("<|start_header_id|>assistant<|end_header_id|>\n\n");
}

void render_gemma(Prompt& prompt, const ChatTemplate& chat, Messages messages, const ChatOptions& options) {
  if (begins_with_system(messages)) throw std::invalid_argument("[chat] this model does not take a system message");
  check_alternating(messages);
  prompt.control(chat.bos);
  for (const ChatMessage& message : messages) {
    prompt.control("<start_of_turn>").control(message.role == "assistant" ? "model" : "user").control("\n");
    prompt.literal(trimmed(message.content)).control("<end_of_turn>\n");
  }
  if (options.add_generation_prompt) prompt.control("<start_of_turn>model\n");
}

void render_mistral(Prompt& prompt, const ChatTemplate& chat, Messages messages) {
  if (begins_with_system(messages)) throw std::invalid_argument("[chat] this model does not take a system message");
  check_alternating(messages);
  prompt.control(chat.bos);
  for (const ChatMessage& message : messages) {
    if (message.role == "user") {
      prompt.control("[INST] ").literal(message.content).control(" [/INST]");
    } else {
      prompt.literal(message.content).control(chat.eos);
    }
  }
}

void render_zephyr(Prompt& prompt, const ChatTemplate& chat, Messages messages, const ChatOptions& options) {
  for (const ChatMessage& message : messages) {
    prompt.control("<|").control(message.role).control("|>\n").literal(message.content).control(chat.eos).control("\n");
  }
  if (options.add_generation_prompt) prompt.control("<|assistant|>\n");
}

}  // namespace

std::vector<Segment> render_chat(const ChatTemplate& chat, std::span<const ChatMessage> messages,
                                 const ChatOptions& options) {
  check_roles(messages);
  Prompt prompt;
  switch (chat.family) {
    case ChatFamily::kChatMl:
      render_chatml(prompt, chat, messages, options);
      break;
    case ChatFamily::kQwen3:
      render_qwen3(prompt, messages, options);
      break;
    case ChatFamily::kLlama2:
      render_llama2(prompt, chat, messages);
      break;
    case ChatFamily::kLlama3:
      render_llama3(prompt, chat, messages, options);
      break;
    case ChatFamily::kLlama31:
      render_llama31(prompt, chat, messages, options);
      break;
    case ChatFamily::kGemma:
      render_gemma(prompt, chat, messages, options);
      break;
    case ChatFamily::kMistral:
      render_mistral(prompt, chat, messages);
      break;
    case ChatFamily::kZephyr:
      render_zephyr(prompt, chat, messages, options);
      break;
  }
  return prompt.finish();
}

}  // namespace plimsoll::text
