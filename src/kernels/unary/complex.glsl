// Functions of one complex number; real results are in the first part. Kinds that share much of their work share its
// code: there is one exponential here, one logarithm, and so on.

const vec2 kOne = vec2(1.0, 0.0);

// Trigonometric functions, and the arc functions, are hyperbolic ones of iz, turned back.
bool is_turned(uint kind) {
  switch (kind) {
    case UNARY_SIN:
    case UNARY_COS:
    case UNARY_TAN:
    case UNARY_ARC_TAN:
    case UNARY_ARC_SINH:
      return true;
    default:
      return false;
  }
}

vec2 apply_hyperbolic(uint kind, vec2 z) {
  const ComplexHyperbolic value = complex_hyperbolic(z);
  switch (kind) {
    case UNARY_SINH:
    case UNARY_SIN:
      return value.sine;
    case UNARY_COSH:
    case UNARY_COS:
      return value.cosine;
    default:
      return value.tangent;
  }
}

vec2 apply_exponential(uint kind, vec2 z) {
  const vec2 power = complex_exp(kind == UNARY_SIGMOID ? -z : z);
  switch (kind) {
    case UNARY_EXPM1:
      return power - kOne;
    case UNARY_SIGMOID:
      return complex_divide(kOne, kOne + power);
    default:
      return power;
  }
}

vec2 apply_logarithm(uint kind, vec2 z) {
  const vec2 logarithm = complex_log(kind == UNARY_LOG1P ? kOne + z : z);
  switch (kind) {
    case UNARY_LOG2:
      return logarithm * kLog2E;
    case UNARY_LOG10:
      return logarithm * 0.4342945;
    default:
      return logarithm;
  }
}

vec2 apply_root(uint kind, vec2 z) {
  const vec2 root = complex_sqrt(z);
  return kind == UNARY_RSQRT ? complex_divide(kOne, root) : root;
}

vec2 apply_transcendental(uint kind, vec2 z) {
  switch (kind) {
    case UNARY_EXP:
    case UNARY_EXPM1:
    case UNARY_SIGMOID:
      return apply_exponential(kind, z);
    case UNARY_LOG:
    case UNARY_LOG1P:
    case UNARY_LOG2:
    case UNARY_LOG10:
      return apply_logarithm(kind, z);
    case UNARY_SQRT:
    case UNARY_RSQRT:
      return apply_root(kind, z);
    case UNARY_ARC_SIN:
    case UNARY_ARC_SINH:
      return complex_asin(z);
    case UNARY_ARC_COS:
      return complex_acos(z);
    case UNARY_ARC_COSH:
      return complex_acosh(z);
    case UNARY_ARC_TAN:
    case UNARY_ARC_TANH:
      return complex_atanh(z);
    default:
      return apply_hyperbolic(kind, z);
  }
}

vec2 apply_complex(uint kind, vec2 z) {
  switch (kind) {
    case UNARY_ABS:
      return vec2(complex_abs(z), 0.0);
    case UNARY_REAL:
      return z;
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
    default:
      const vec2 value = apply_transcendental(kind, is_turned(kind) ? complex_turned(z) : z);
      return is_turned(kind) && kind != UNARY_COS ? complex_turned_back(value) : value;
  }
}
