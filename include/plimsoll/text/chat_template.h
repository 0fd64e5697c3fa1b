// Conversations as prompts, the way a model's chat template spells them.
//
// Templates are programs (Jinja) inside model files. They are not run: the families below are recognised by what their
// text says, and rendered by code that gives the same text. What a message says stays apart from what the template
// says, so that no message can make a control token.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/text/tokenizer.h"

namespace plimsoll::text {

enum class ChatFamily { kChatMl, kQwen3, kLlama2, kLlama3, kLlama31, kGemma, kMistral, kZephyr };

struct ChatTemplate {
  ChatFamily family = ChatFamily::kChatMl;
  std::string default_system;  // stands in for a missing system message; empty: nothing does (ChatML)
  std::string bos;             // as the template spells it, where it does
  std::string eos;

  bool operator==(const ChatTemplate&) const = default;
};

struct ChatMessage {
  std::string role;  // system, user or assistant
  std::string content;
};

struct ChatOptions {
  bool add_generation_prompt = true;  // end where the assistant's answer begins
  bool enable_thinking = true;        // false: Qwen3 is given an empty thought
  std::string date = "26 Jul 2024";   // that Llama 3.1 is told; this one unless its caller says another
};

// The family of a template's text, if it is one of those known for sure.
std::optional<ChatTemplate> recognise_chat_template(std::string_view text);

// The same; FileError with the template's first line and the ways on if it is not known.
ChatTemplate chat_template_from_text(std::string_view text, const std::string& path);

// By the names of --chat-format. std::invalid_argument listing them for any other.
ChatTemplate chat_template_by_name(std::string_view name);
std::vector<std::string_view> chat_template_names();

// The prompt. std::invalid_argument for no messages, a role that the family does not know, and turns in an order that
// it does not allow. Give the result to Tokenizer::encode, which adds BOS where the tokenizer asks for it and the
// template has not spelled it.
std::vector<Segment> render_chat(const ChatTemplate& chat, std::span<const ChatMessage> messages,
                                 const ChatOptions& options = {});

}  // namespace plimsoll::text
