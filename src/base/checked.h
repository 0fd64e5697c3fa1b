// Integer arithmetic that notices overflow, for sizes and offsets that come from files or callers.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plimsoll::base {

template <std::integral T>
constexpr std::optional<T> checked_add(T a, std::type_identity_t<T> b) noexcept {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::integral T>
constexpr std::optional<T> checked_sub(T a, std::type_identity_t<T> b) noexcept {
  T difference{};
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

template <std::integral T>
constexpr std::optional<T> checked_mul(T a, std::type_identity_t<T> b) noexcept {
  T product{};
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Smallest multiple of `alignment` that is at least `value`. Requires a power of two.
template <std::unsigned_integral T>
constexpr std::optional<T> checked_align_up(T value, std::type_identity_t<T> alignment) noexcept {
  const auto raised = checked_add<T>(value, alignment - 1);
  if (!raised) return std::nullopt;
  return *raised & ~(alignment - 1);
}

// `value` in another integer type, if it fits.
template <std::integral To, std::integral From>
constexpr std::optional<To> checked_cast(From value) noexcept {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

// Product of all factors (1 for none). A zero factor gives zero even where the others alone would overflow.
template <std::ranges::forward_range Factors>
  requires std::integral<std::ranges::range_value_t<Factors>>
constexpr std::optional<std::ranges::range_value_t<Factors>> checked_product(const Factors& factors) noexcept {
  using T = std::ranges::range_value_t<Factors>;
  for (const T factor : factors) {
    if (factor == 0) return T{0};
  }
  std::optional<T> product = T{1};
  for (const T factor : factors) {
    product = checked_mul(*product, factor);
    if (!product) return std::nullopt;
  }
  return product;
}

// Whether [offset, offset + size) lies inside [0, total).
constexpr bool range_fits(uint64_t offset, uint64_t size, uint64_t total) noexcept {
  return offset <= total && size <= total - offset;
}

constexpr bool is_power_of_two(uint64_t value) noexcept { return std::has_single_bit(value); }

// The value of a checked result; std::overflow_error "<what> does not fit in its type" if there is none.
template <typename T>
constexpr T value_or_throw(std::optional<T> result, std::string_view what) {
  if (!result) throw std::overflow_error(std::string(what) + " does not fit in its type");
  return *result;
}

}  // namespace plimsoll::base
