// Functions of two complex numbers, ordered by their real parts, then by their imaginary parts.

bool compare_complex(uint kind, vec2 a, vec2 b) {
  const bool a_set = !is_zero(a.x) || !is_zero(a.y);
  const bool b_set = !is_zero(b.x) || !is_zero(b.y);
  if (kind == BINARY_LOGICAL_AND) return a_set && b_set;
  if (kind == BINARY_LOGICAL_OR) return a_set || b_set;
  if (kind == BINARY_EQUAL) return compare_float(kind, a.x, b.x) && compare_float(kind, a.y, b.y);
  if (kind == BINARY_NOT_EQUAL) return compare_float(kind, a.x, b.x) || compare_float(kind, a.y, b.y);
  const bool by_real = compare_float(BINARY_NOT_EQUAL, a.x, b.x);
  return compare_float(kind, by_real ? a.x : a.y, by_real ? b.x : b.y);
}

vec2 apply_complex(uint kind, vec2 a, vec2 b) {
  switch (kind) {
    case BINARY_ADD:
      return a + b;
    case BINARY_SUBTRACT:
      return a - b;
    case BINARY_MULTIPLY:
      return complex_multiply(a, b);
    case BINARY_DIVIDE:
      return complex_divide(a, b);
    case BINARY_POWER:
      return complex_pow(a, b);
    case BINARY_MAXIMUM:
      return compare_complex(BINARY_GREATER, a, b) ? a : b;
    case BINARY_MINIMUM:
      return compare_complex(BINARY_LESS, a, b) ? a : b;
    default:
      return a;
  }
}
