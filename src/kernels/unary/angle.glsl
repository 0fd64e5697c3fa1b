// Trigonometric and hyperbolic functions of one float, and their inverses: long, and rare in models, so they have kernels
// of their own.

// Sine, cosine and tangent share their range reduction, which is long.
float apply_circular(uint kind, float x) {
  int quadrant;
  const float r = reduce_by_half_pi(x, quadrant);
  if (kind == UNARY_COS) return sin_reduced(r, quadrant + 1);
  const float sine = is_zero(x) ? x : sin_reduced(r, quadrant);
  return kind == UNARY_TAN ? sine / sin_reduced(r, quadrant + 1) : sine;
}

float apply_angle(uint kind, float x) {
  switch (kind) {
    case UNARY_SIN:
    case UNARY_COS:
    case UNARY_TAN:
      return apply_circular(kind, x);
    case UNARY_ARC_SIN:
      return math_asin(x);
    case UNARY_ARC_COS:
      return math_acos(x);
    case UNARY_ARC_TAN:
      return math_atan(x);
    case UNARY_SINH:
      return math_sinh(x);
    case UNARY_COSH:
      return math_cosh(x);
    case UNARY_ARC_SINH:
      return math_asinh(x);
    case UNARY_ARC_COSH:
      return math_acosh(x);
    default:
      return math_atanh(x);
  }
}
