// Functions of one float, but for those of unary/angle.glsl.

float sign_of(float x) {
  if (is_nan(x)) return x;
  return copy_sign(is_zero(x) ? 0.0 : 1.0, x);
}

float apply_float(uint kind, float x) {
  switch (kind) {
    case UNARY_ABS:
      return uintBitsToFloat(magnitude_bits(x));
    case UNARY_NEGATIVE:
      return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
    case UNARY_SIGN:
      return sign_of(x);
    case UNARY_FLOOR:
      return floor(x);
    case UNARY_CEIL:
      return ceil(x);
    case UNARY_ROUND:
      return roundEven(x);
    case UNARY_SQUARE:
      return x * x;
    case UNARY_SQRT:
      return sqrt_of(x);
    case UNARY_RSQRT:
      return divide(1.0, sqrt_of(x));
    case UNARY_EXP:
      return math_exp(x);
    case UNARY_EXPM1:
      return math_expm1(x);
    case UNARY_LOG:
      return math_log(x);
    case UNARY_LOG1P:
      return math_log1p(x);
    case UNARY_LOG2:
      return math_log2(x);
    case UNARY_LOG10:
      return math_log10(x);
    case UNARY_TANH:
      return math_tanh(x);
    case UNARY_SIGMOID:
      return math_sigmoid(x);
    case UNARY_ERF:
      return math_erf(x);
    case UNARY_ERF_INV:
      return math_erfinv(x);
    default:  // conjugate, real: of real numbers the number itself
      return x;
  }
}
