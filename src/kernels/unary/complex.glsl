// Functions of one complex number; real results are in the first part.

vec2 apply_complex(uint kind, vec2 z) {
  const vec2 one = vec2(1.0, 0.0);
  switch (kind) {
    case UNARY_ABS:
      return vec2(complex_abs(z), 0.0);
    case UNARY_IMAG:
      return vec2(z.y, 0.0);
    case UNARY_CONJUGATE:
      return complex_conjugate(z);
    case UNARY_NEGATIVE:
      return -z;
    case UNARY_SIGN:
      return is_zero(z.x) && is_zero(z.y) ? z : z / complex_abs(z);
    case UNARY_ROUND:
      return roundEven(z);
    case UNARY_SQUARE:
      return complex_multiply(z, z);
    case UNARY_SQRT:
      return complex_sqrt(z);
    case UNARY_RSQRT:
      return complex_divide(one, complex_sqrt(z));
    case UNARY_EXP:
      return complex_exp(z);
    case UNARY_EXPM1:
      return complex_exp(z) - one;
    case UNARY_SIGMOID:
      return complex_divide(one, one + complex_exp(-z));
    case UNARY_LOG:
      return complex_log(z);
    case UNARY_LOG1P:
      return complex_log(one + z);
    case UNARY_LOG2:
      return complex_log(z) * kLog2E;
    case UNARY_LOG10:
      return complex_log(z) * 0.4342945;
    case UNARY_SIN:
      return complex_sin(z);
    case UNARY_COS:
      return complex_cos(z);
    case UNARY_TAN:
      return complex_tan(z);
    case UNARY_SINH:
      return complex_sinh(z);
    case UNARY_COSH:
      return complex_cosh(z);
    case UNARY_TANH:
      return complex_tanh(z);
    case UNARY_ARC_SIN:
      return complex_asin(z);
    case UNARY_ARC_COS:
      return complex_acos(z);
    case UNARY_ARC_TAN:
      return complex_atan(z);
    case UNARY_ARC_SINH:
      return complex_asinh(z);
    case UNARY_ARC_COSH:
      return complex_acosh(z);
    case UNARY_ARC_TANH:
      return complex_atanh(z);
    default:  // real
      return z;
  }
}
