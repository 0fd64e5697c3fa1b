// Functions of two integers, by the rules of the CPU's (cpu/binary_scalar.h): results wrap as they are stored, nothing
// traps, division rounds down.

bool is_signed_integer(uint dtype) { return dtype >= DTYPE_INT8 && dtype <= DTYPE_INT64; }

// As a - b is.
int order_of(uint dtype, int64_t a, int64_t b) {
  const bool less = dtype == DTYPE_UINT64 ? uint64_t(a) < uint64_t(b) : a < b;
  return a == b ? 0 : less ? -1 : 1;
}

bool compare_integer(uint kind, uint dtype, int64_t a, int64_t b) {
  if (kind == BINARY_LOGICAL_AND) return a != 0 && b != 0;
  if (kind == BINARY_LOGICAL_OR) return a != 0 || b != 0;
  return holds(kind, order_of(dtype, a, b), false);
}

// The truncated quotient of what has a quotient. 32-bit division where the dtype allows: 64-bit division is slow.
int64_t quotient_of(uint dtype, int64_t a, int64_t b) {
  if (dtype == DTYPE_UINT64) return int64_t(uint64_t(a) / uint64_t(b));
  if (dtype == DTYPE_INT64) return a / b;
  if (dtype == DTYPE_UINT32) return int64_t(uint(a) / uint(b));
  return int64_t(int(a) / int(b));
}

// 0 for a divisor of 0.
int64_t floor_divide(uint dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (!is_signed_integer(dtype)) return quotient_of(dtype, a, b);
  if (b == -1) return -a;
  const int64_t quotient = quotient_of(dtype, a, b);
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t integer_remainder(uint dtype, int64_t a, int64_t b) { return b == 0 ? 0 : a - floor_divide(dtype, a, b) * b; }

// By squaring, modulo 2^64. A negative exponent gives 1, -1 or 0, the truncated quotient.
int64_t integer_power(uint dtype, int64_t base, int64_t exponent) {
  if (is_signed_integer(dtype) && exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? ((exponent & 1) == 0 ? 1 : -1) : 0;
  }
  int64_t result = 1;
  for (uint64_t rest = uint64_t(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

// Shifts by the width or more, or by a negative count, leave 0 (or -1 of a negative number shifted right).
int64_t shift_left(uint dtype, int64_t a, int64_t count) {
  return uint64_t(count) >= 8 * item_size(dtype) ? int64_t(0) : int64_t(uint64_t(a) << uint(count));
}
int64_t shift_right(uint dtype, int64_t a, int64_t count) {
  const bool whole = uint64_t(count) >= 8 * item_size(dtype);
  if (is_signed_integer(dtype)) return a >> (whole ? 63u : uint(count));
  return whole ? int64_t(0) : int64_t(uint64_t(a) >> uint(count));
}

bool apply_bool(uint kind, bool a, bool b) {
  switch (kind) {
    case BINARY_MULTIPLY:
    case BINARY_MINIMUM:
    case BINARY_BITWISE_AND:
    case BINARY_FLOOR_DIVIDE:
      return a && b;
    case BINARY_SUBTRACT:
    case BINARY_BITWISE_XOR:
      return a != b;
    case BINARY_POWER:
      return a || !b;
    case BINARY_REMAINDER:
      return false;
    case BINARY_LEFT_SHIFT:
    case BINARY_RIGHT_SHIFT:
      return a && !b;
    default:
      return a || b;
  }
}

int64_t apply_integer(uint kind, uint dtype, int64_t a, int64_t b) {
  if (dtype == DTYPE_BOOL) return int64_t(apply_bool(kind, a != 0, b != 0) ? 1 : 0);
  switch (kind) {
    case BINARY_ADD:
      return a + b;
    case BINARY_SUBTRACT:
      return a - b;
    case BINARY_MULTIPLY:
      return a * b;
    case BINARY_FLOOR_DIVIDE:
      return floor_divide(dtype, a, b);
    case BINARY_REMAINDER:
      return integer_remainder(dtype, a, b);
    case BINARY_POWER:
      return integer_power(dtype, a, b);
    case BINARY_MAXIMUM:
      return order_of(dtype, a, b) < 0 ? b : a;
    case BINARY_MINIMUM:
      return order_of(dtype, a, b) > 0 ? b : a;
    case BINARY_BITWISE_AND:
      return a & b;
    case BINARY_BITWISE_OR:
      return a | b;
    case BINARY_BITWISE_XOR:
      return a ^ b;
    case BINARY_LEFT_SHIFT:
      return shift_left(dtype, a, b);
    case BINARY_RIGHT_SHIFT:
      return shift_right(dtype, a, b);
    default:
      return a;
  }
}
