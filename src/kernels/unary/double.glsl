// Functions of one double.

// Sine, cosine and tangent share their range reduction, which is long.
double apply_circular(uint kind, double x) {
  int quadrant;
  const double r = double_reduce_by_half_pi(x, quadrant);
  if (kind == UNARY_COS) return double_sin_reduced(r, quadrant + 1);
  const double sine = is_zero(x) ? x : double_sin_reduced(r, quadrant);
  return kind == UNARY_TAN ? sine / double_sin_reduced(r, quadrant + 1) : sine;
}

double apply_double(uint kind, double x) {
  switch (kind) {
    case UNARY_ABS:
      return copy_sign(x, 1.0lf);
    case UNARY_NEGATIVE:
      return -x;
    case UNARY_SIGN:
      return is_nan(x) ? x : double(int(x > 0.0lf) - int(x < 0.0lf));
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
      return 1.0lf / sqrt_of(x);
    case UNARY_EXP:
      return double_exp(x);
    case UNARY_EXPM1:
      return double_expm1(x);
    case UNARY_LOG:
      return double_log(x);
    case UNARY_LOG1P:
      return double_log1p(x);
    case UNARY_LOG2:
      return double_log2(x);
    case UNARY_LOG10:
      return double_log10(x);
    case UNARY_TANH:
      return double_tanh(x);
    case UNARY_SIGMOID:
      return double_sigmoid(x);
    case UNARY_ERF:
      return double_erf(x);
    case UNARY_ERF_INV:
      return double_erfinv(x);
    case UNARY_SIN:
    case UNARY_COS:
    case UNARY_TAN:
      return apply_circular(kind, x);
    case UNARY_ARC_SIN:
      return double_asin(x);
    case UNARY_ARC_COS:
      return double_acos(x);
    case UNARY_ARC_TAN:
      return double_atan(x);
    case UNARY_SINH:
      return double_sinh(x);
    case UNARY_COSH:
      return double_cosh(x);
    case UNARY_ARC_SINH:
      return double_asinh(x);
    case UNARY_ARC_COSH:
      return double_acosh(x);
    case UNARY_ARC_TANH:
      return double_atanh(x);
    default:  // conjugate, real: of real numbers the number itself
      return x;
  }
}
