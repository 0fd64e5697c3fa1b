#include "plimsoll/dtype.h"

#include <array>

namespace plimsoll {
namespace {

constexpr size_t kCount = 14;
using Val = Dtype::Val;
using Category = Dtype::Category;

constexpr Category category_of(Val val) {
  switch (val) {
    case Val::uint8:
    case Val::uint16:
    case Val::uint32:
    case Val::uint64:
      return Category::unsignedinteger;
    case Val::int8:
    case Val::int16:
    case Val::int32:
    case Val::int64:
      return Category::signedinteger;
    case Val::float16:
    case Val::float32:
    case Val::float64:
    case Val::bfloat16:
      return Category::floating;
    case Val::complex64:
      return Category::complexfloating;
    case Val::bool_:
      return Category::generic;
  }
  __builtin_unreachable();
}

constexpr Category parent_of(Category category) {
  switch (category) {
    case Category::complexfloating:
    case Category::floating:
      return Category::inexact;
    case Category::signedinteger:
    case Category::unsignedinteger:
      return Category::integer;
    case Category::inexact:
    case Category::integer:
      return Category::number;
    case Category::number:
    case Category::generic:
      return Category::generic;
  }
  __builtin_unreachable();
}

constexpr Dtype dtype_of(Val val) {
  switch (val) {
#define PLIMSOLL_CASE(name, type) \
  case Val::name:                 \
    return name;
    PLIMSOLL_FOR_EACH_DTYPE(PLIMSOLL_CASE)
#undef PLIMSOLL_CASE
  }
  __builtin_unreachable();
}

constexpr Dtype promote_integers(Dtype a, Dtype b) {
  const bool a_signed = category_of(a) == Category::signedinteger;
  const bool b_signed = category_of(b) == Category::signedinteger;
  if (a_signed == b_signed) return a.size() >= b.size() ? a : b;
  const Dtype signed_one = a_signed ? a : b;
  const Dtype unsigned_one = a_signed ? b : a;
  if (signed_one.size() > unsigned_one.size()) return signed_one;
  switch (unsigned_one.size()) {
    case 1:
      return int16;
    case 2:
      return int32;
    case 4:
      return int64;
    default:
      return float32;  // nothing integral holds both uint64 and a signed integer
  }
}

constexpr Dtype promote_floats(Dtype a, Dtype b) {
  if (a.val() == b.val()) return a;
  if (a.size() != b.size()) return a.size() > b.size() ? a : b;
  return float32;  // float16 with bfloat16
}

constexpr Dtype promote(Val a, Val b) {
  if (a == Val::complex64 || b == Val::complex64) return complex64;
  if (a == Val::bool_) return dtype_of(b);
  if (b == Val::bool_) return dtype_of(a);
  const bool a_floats = category_of(a) == Category::floating;
  const bool b_floats = category_of(b) == Category::floating;
  if (a_floats && b_floats) return promote_floats(dtype_of(a), dtype_of(b));
  if (a_floats) return dtype_of(a);
  if (b_floats) return dtype_of(b);
  return promote_integers(dtype_of(a), dtype_of(b));
}

}  // namespace

bool issubdtype(const Dtype::Category& a, const Dtype::Category& b) {
  for (Category category = a;; category = parent_of(category)) {
    if (category == b) return true;
    if (category == Category::generic) return false;
  }
}

bool issubdtype(const Dtype& a, const Dtype& b) { return a.val() == b.val(); }
bool issubdtype(const Dtype::Category&, const Dtype&) { return false; }
bool issubdtype(const Dtype& a, const Dtype::Category& b) { return issubdtype(category_of(a), b); }

Dtype promote_types(const Dtype& a, const Dtype& b) {
  static constexpr auto kTable = [] {
    std::array<Val, kCount * kCount> table{};
    for (size_t i = 0; i < kCount; ++i) {
      for (size_t j = 0; j < kCount; ++j) {
        table[i * kCount + j] = promote(static_cast<Val>(i), static_cast<Val>(j)).val();
      }
    }
    return table;
  }();
  return dtype_of(kTable[static_cast<size_t>(a.val()) * kCount + static_cast<size_t>(b.val())]);
}

Dtype::Kind kindof(const Dtype& dtype) {
  if (dtype.val() == Val::bool_) return Dtype::Kind::b;
  if (dtype.val() == Val::bfloat16) return Dtype::Kind::V;
  switch (category_of(dtype)) {
    case Category::unsignedinteger:
      return Dtype::Kind::u;
    case Category::signedinteger:
      return Dtype::Kind::i;
    case Category::complexfloating:
      return Dtype::Kind::c;
    default:
      return Dtype::Kind::f;
  }
}

std::string_view name_of(const Dtype& dtype) {
  switch (dtype.val()) {
    case Val::bool_:
      return "bool";
#define PLIMSOLL_CASE(name, type) \
  case Val::name:                 \
    return #name;
      PLIMSOLL_CASE(uint8, )
      PLIMSOLL_CASE(uint16, )
      PLIMSOLL_CASE(uint32, )
      PLIMSOLL_CASE(uint64, )
      PLIMSOLL_CASE(int8, )
      PLIMSOLL_CASE(int16, )
      PLIMSOLL_CASE(int32, )
      PLIMSOLL_CASE(int64, )
      PLIMSOLL_CASE(float16, )
      PLIMSOLL_CASE(float32, )
      PLIMSOLL_CASE(float64, )
      PLIMSOLL_CASE(bfloat16, )
      PLIMSOLL_CASE(complex64, )
#undef PLIMSOLL_CASE
  }
  __builtin_unreachable();
}

std::ostream& operator<<(std::ostream& os, const Dtype& dtype) { return os << name_of(dtype); }

}  // namespace plimsoll
