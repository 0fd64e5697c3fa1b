// Element types of arrays: MLX's fourteen, with its promotion table and category tree.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "plimsoll/half_types.h"

namespace plimsoll {

using complex64_t = std::complex<float>;

struct Dtype {
  enum class Val : uint8_t {
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    bfloat16,
    complex64,
  };

  // numpy's kind letters; V stands for bfloat16, which NumPy does not know.
  enum class Kind : uint8_t { b, u, i, f, c, V };

  enum class Category : uint8_t {
    complexfloating,
    floating,
    inexact,
    signedinteger,
    unsignedinteger,
    integer,
    number,
    generic,
  };

  constexpr Dtype(Val val, uint8_t size) : val_(val), size_(size) {}
  constexpr operator Val() const { return val_; }  // NOLINT(google-explicit-constructor): switch (dtype) as in MLX
  constexpr Val val() const { return val_; }
  constexpr uint8_t size() const { return size_; }  // bytes an element

 private:
  Val val_;
  uint8_t size_;
};

// The one list of dtypes: X(name, C++ type). Everything that enumerates dtypes expands it.
#define PLIMSOLL_FOR_EACH_DTYPE(X) \
  X(bool_, bool)                   \
  X(uint8, uint8_t)                \
  X(uint16, uint16_t)              \
  X(uint32, uint32_t)              \
  X(uint64, uint64_t)              \
  X(int8, int8_t)                  \
  X(int16, int16_t)                \
  X(int32, int32_t)                \
  X(int64, int64_t)                \
  X(float16, float16_t)            \
  X(float32, float)                \
  X(float64, double)               \
  X(bfloat16, bfloat16_t)          \
  X(complex64, complex64_t)

#define PLIMSOLL_DEFINE_DTYPE(name, type) inline constexpr Dtype name{Dtype::Val::name, sizeof(type)};
PLIMSOLL_FOR_EACH_DTYPE(PLIMSOLL_DEFINE_DTYPE)
#undef PLIMSOLL_DEFINE_DTYPE

inline constexpr Dtype::Category complexfloating = Dtype::Category::complexfloating;
inline constexpr Dtype::Category floating = Dtype::Category::floating;
inline constexpr Dtype::Category inexact = Dtype::Category::inexact;
inline constexpr Dtype::Category signedinteger = Dtype::Category::signedinteger;
inline constexpr Dtype::Category unsignedinteger = Dtype::Category::unsignedinteger;
inline constexpr Dtype::Category integer = Dtype::Category::integer;
inline constexpr Dtype::Category number = Dtype::Category::number;
inline constexpr Dtype::Category generic = Dtype::Category::generic;

// Whether `a` lies at or below `b` in the category tree generic > number > {integer > {signed, unsigned}, inexact >
// {floating, complexfloating}}. bool_ is below generic alone.
bool issubdtype(const Dtype& a, const Dtype& b);
bool issubdtype(const Dtype::Category& a, const Dtype& b);
bool issubdtype(const Dtype& a, const Dtype::Category& b);
bool issubdtype(const Dtype::Category& a, const Dtype::Category& b);

// The dtype of an operation on both: MLX's table (an integer with a float gives that float; float16 with bfloat16 and
// uint64 with a signed integer give float32).
Dtype promote_types(const Dtype& a, const Dtype& b);

inline uint8_t size_of(const Dtype& dtype) { return dtype.size(); }
Dtype::Kind kindof(const Dtype& dtype);
std::string_view name_of(const Dtype& dtype);  // "float32", "bool" ...
std::ostream& operator<<(std::ostream& os, const Dtype& dtype);

template <typename T>
struct TypeToDtype;

#define PLIMSOLL_MAP_TYPE(name, type)                                                           \
  template <>                                                                                   \
  struct TypeToDtype<type> {                                                                    \
    constexpr operator Dtype() const { return name; } /* NOLINT(google-explicit-constructor) */ \
  };
PLIMSOLL_FOR_EACH_DTYPE(PLIMSOLL_MAP_TYPE)
#undef PLIMSOLL_MAP_TYPE

// The other spelling of a 64-bit integer.
template <>
struct TypeToDtype<long long> {
  constexpr operator Dtype() const { return int64; }  // NOLINT(google-explicit-constructor)
};
template <>
struct TypeToDtype<unsigned long long> {
  constexpr operator Dtype() const { return uint64; }  // NOLINT(google-explicit-constructor)
};

// C++ types that arrays are made of.
template <typename T>
concept HasDtype = requires { sizeof(TypeToDtype<T>); };

// Calls f with a value-initialized element of the C++ type of `dtype`: dispatch_dtype(d, [&]<typename T>(T) { ... }).
template <typename F>
decltype(auto) dispatch_dtype(Dtype dtype, F&& f) {
  switch (dtype.val()) {
#define PLIMSOLL_CASE(name, type) \
  case Dtype::Val::name:          \
    return f(type{});
    PLIMSOLL_FOR_EACH_DTYPE(PLIMSOLL_CASE)
#undef PLIMSOLL_CASE
  }
  __builtin_unreachable();
}

}  // namespace plimsoll
