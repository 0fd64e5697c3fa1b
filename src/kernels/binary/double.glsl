// Functions of two doubles.

bool compare_double(uint kind, double a, double b) {
  if (kind == BINARY_LOGICAL_AND) return !is_zero(a) && !is_zero(b);
  if (kind == BINARY_LOGICAL_OR) return !is_zero(a) || !is_zero(b);
  return holds(kind, int(a > b) - int(a < b), is_nan(a) || is_nan(b));
}

double apply_double(uint kind, double a, double b) {
  switch (kind) {
    case BINARY_ADD:
      return a + b;
    case BINARY_SUBTRACT:
      return a - b;
    case BINARY_MULTIPLY:
      return a * b;
    case BINARY_DIVIDE:
      return a / b;
    case BINARY_FLOOR_DIVIDE:
      return floor(a / b);
    case BINARY_REMAINDER:
      return double_remainder(a, b);
    case BINARY_POWER:
      return double_pow(a, b);
    case BINARY_MAXIMUM:
      return is_nan(a) || a > b ? a : b;
    case BINARY_MINIMUM:
      return is_nan(a) || a < b ? a : b;
    case BINARY_LOG_ADD_EXP:
      return double_logaddexp(a, b);
    case BINARY_ARC_TAN2:
      return double_atan2(a, b);
    case BINARY_SWIGLU:
      return a * double_sigmoid(a) * b;
    default:
      return a;
  }
}
