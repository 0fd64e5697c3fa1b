#include "text/regex.h"

#include <pcre2.h>

#include <fmt/format.h>

#include <array>
#include <new>
#include <stdexcept>
#include <utility>

namespace plimsoll::text {

namespace {

constexpr size_t kMaxPatternBytes = 64 * 1024;
constexpr size_t kJitStackStart = 32 * 1024;
constexpr size_t kJitStackMax = 1024 * 1024;

std::string pcre2_message(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

struct Pcre2Deleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

template <typename T>
using Pcre2Ptr = std::unique_ptr<T, Pcre2Deleter>;

Pcre2Ptr<pcre2_code> compile(const std::string& pattern) {
  const Pcre2Ptr<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  if (!context) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  size_t offset = 0;
  Pcre2Ptr<pcre2_code> code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), kOptions,
                                          &error, &offset, context.get()));
  if (!code) {
    throw std::invalid_argument(fmt::format("pattern does not compile at byte {}: {}", offset, pcre2_message(error)));
  }
  return code;
}

}  // namespace

struct RegexScratch::Impl {
  Pcre2Ptr<pcre2_match_data> data;
  Pcre2Ptr<pcre2_match_context> context;
  Pcre2Ptr<pcre2_jit_stack> stack;
};

RegexScratch::RegexScratch() : impl_(std::make_unique<Impl>()) {
  impl_->data.reset(pcre2_match_data_create(1, nullptr));
  impl_->context.reset(pcre2_match_context_create(nullptr));
  impl_->stack.reset(pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr));
  if (!impl_->data || !impl_->context) throw std::bad_alloc();
  if (impl_->stack) pcre2_jit_stack_assign(impl_->context.get(), nullptr, impl_->stack.get());
}

RegexScratch::~RegexScratch() = default;

struct Regex::Impl {
  Pcre2Ptr<pcre2_code> code;
  bool jit;  // false where the system forbids memory that is written and run
};

Regex::Regex(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) throw std::invalid_argument("pattern is longer than 64 KiB");
  auto code = compile(pcre2_from_oniguruma(pattern));
  const bool jit = pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE) == 0;
  impl_ = std::make_unique<const Impl>(Impl{std::move(code), jit});
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

std::optional<Regex::Match> Regex::find(std::string_view text, size_t from, RegexScratch& scratch) const {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  pcre2_match_data* data = scratch.impl_->data.get();
  pcre2_match_context* context = scratch.impl_->context.get();
  const int result =
      impl_->jit ? pcre2_jit_match(impl_->code.get(), subject, text.size(), from, 0, data, context)
                 : pcre2_match(impl_->code.get(), subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, context);
  if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (result < 0)
    throw std::runtime_error("[tokenizer] a split pattern gave up on this text: " + pcre2_message(result));
  const size_t* range = pcre2_get_ovector_pointer(data);
  return Match{range[0], range[1]};
}

}  // namespace plimsoll::text
