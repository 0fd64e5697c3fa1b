// Functions of two floats.

// Floats in the order of their values, both zeros alike; NaN at the ends.
int order_key(float x) {
  const int magnitude = int(magnitude_bits(x));
  return has_sign(x) ? -magnitude : magnitude;
}

bool compare_float(uint kind, float a, float b) {
  if (kind == BINARY_LOGICAL_AND) return !is_zero(a) && !is_zero(b);
  if (kind == BINARY_LOGICAL_OR) return !is_zero(a) || !is_zero(b);
  const int key_a = order_key(a);
  const int key_b = order_key(b);
  return holds(kind, int(key_a > key_b) - int(key_a < key_b), is_nan(a) || is_nan(b));
}

float larger_of(float a, float b) { return is_nan(a) || (!is_nan(b) && order_key(a) > order_key(b)) ? a : b; }
float smaller_of(float a, float b) { return is_nan(a) || (!is_nan(b) && order_key(a) < order_key(b)) ? a : b; }

float apply_float(uint kind, float a, float b) {
  switch (kind) {
    case BINARY_ADD:
      return a + b;
    case BINARY_SUBTRACT:
      return a - b;
    case BINARY_MULTIPLY:
      return a * b;
    case BINARY_DIVIDE:
      return divide(a, b);
    case BINARY_FLOOR_DIVIDE:
      return floor(divide(a, b));
    case BINARY_REMAINDER:
      return math_remainder(a, b);
    case BINARY_POWER:
      return math_pow(a, b);
    case BINARY_MAXIMUM:
      return larger_of(a, b);
    case BINARY_MINIMUM:
      return smaller_of(a, b);
    case BINARY_LOG_ADD_EXP:
      return math_logaddexp(a, b);
    case BINARY_ARC_TAN2:
      return math_atan2(a, b);
    case BINARY_SWIGLU:
      return a * math_sigmoid(a) * b;
    default:
      return a;
  }
}
