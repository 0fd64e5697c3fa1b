// Complex numbers as vec2(real, imaginary). Include after math.glsl. Branch cuts lie where the C library has them (W.
// Kahan, "Branch cuts for complex elementary functions", 1987, whose formulas the arc functions are).

// z times i and times -i.
vec2 complex_turned(vec2 z) { return vec2(-z.y, z.x); }
vec2 complex_turned_back(vec2 z) { return vec2(z.y, -z.x); }
vec2 complex_conjugate(vec2 z) { return vec2(z.x, -z.y); }

vec2 complex_multiply(vec2 a, vec2 b) {
  precise vec2 product = vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
  return product;
}

// Scaled by the larger part of the divisor (R. L. Smith, 1962).
vec2 complex_divide(vec2 a, vec2 b) {
  const bool wide = abs(b.x) >= abs(b.y);
  const float larger = wide ? b.x : b.y;
  const float smaller = wide ? b.y : b.x;
  const float ratio = is_zero(larger) ? 0.0 : smaller / larger;
  const float denominator = larger + smaller * ratio;
  const vec2 numerator = wide ? vec2(a.x + a.y * ratio, a.y - a.x * ratio) : vec2(a.x * ratio + a.y, a.y * ratio - a.x);
  return vec2(divide(numerator.x, denominator), divide(numerator.y, denominator));
}

float complex_abs(vec2 z) {
  const vec2 a = abs(z);
  if (is_inf(z.x) || is_inf(z.y)) return FLOAT_INFINITY;
  if (is_nan(z.x) || is_nan(z.y)) return FLOAT_NAN;
  const float larger = max(a.x, a.y);
  const float ratio = larger == 0.0 ? 0.0 : min(a.x, a.y) / larger;
  return larger * sqrt(fma(ratio, ratio, 1.0));
}

vec2 complex_exp(vec2 z) {
  if (is_zero(z.y)) return vec2(math_exp(z.x), z.y);
  if (is_inf(z.x) && has_sign(z.x)) return vec2(0.0);
  // In two steps: e^x may be infinite where the product is not.
  const float root = math_exp(0.5 * z.x);
  precise vec2 turned = vec2(math_cos(z.y), math_sin(z.y)) * root * root;
  return turned;
}

vec2 complex_log(vec2 z) {
  const vec2 a = abs(z);
  const float larger = max(a.x, a.y);
  const float smaller = min(a.x, a.y);
  const bool near_one = larger > 0.5 && larger < 2.0;
  const float near = 0.5 * math_log1p(fma(larger - 1.0, larger + 1.0, smaller * smaller));
  return vec2(near_one ? near : math_log(complex_abs(z)), math_atan2(z.y, z.x));
}

vec2 complex_sqrt(vec2 z) {
  if (is_zero(z.x) && is_zero(z.y)) return vec2(0.0, z.y);
  if (is_inf(z.y)) return vec2(FLOAT_INFINITY, z.y);
  const float root = sqrt(fma(0.5, complex_abs(z), 0.5 * abs(z.x)));
  const float other = 0.5 * abs(z.y) / root;
  return has_sign(z.x) ? vec2(other, copy_sign(root, z.y)) : vec2(root, copy_sign(other, z.y));
}

// The hyperbolic functions of z, from which the trigonometric ones follow by turning: sin(z) = -i sinh(iz).
struct ComplexHyperbolic {
  vec2 sine;
  vec2 cosine;
  vec2 tangent;
};

ComplexHyperbolic complex_hyperbolic(vec2 z) {
  const vec2 circular = math_sin_cos(z.y);
  const vec2 hyperbolic = math_sinh_cosh(z.x);
  const float s = circular.x, c = circular.y, sh = hyperbolic.x, ch = hyperbolic.y;
  const bool real = is_zero(z.y);
  const bool far = abs(z.x) > 20.0;
  ComplexHyperbolic value;
  value.sine = vec2(sh * c, real ? z.y : ch * s);
  value.cosine = vec2(ch * c, real ? z.y : sh * s);
  value.tangent = far ? vec2(copy_sign(1.0, z.x), 4.0 * s * c * math_exp(-2.0 * abs(z.x)))
                        : vec2(sh * ch, s * c) / fma(sh, sh, c * c);
  return value;
}

// The square roots of 1 - z and 1 + z, of which the arc functions are made.
struct ComplexRoots {
  vec2 left;
  vec2 right;
};

ComplexRoots complex_roots(vec2 z) {
  return ComplexRoots(complex_sqrt(vec2(1.0 - z.x, -z.y)), complex_sqrt(vec2(1.0 + z.x, z.y)));
}

vec2 complex_asin(vec2 z) {
  const ComplexRoots roots = complex_roots(z);
  return vec2(math_atan2(z.x, complex_multiply(roots.left, roots.right).x),
              math_asinh(complex_multiply(complex_conjugate(roots.left), roots.right).y));
}

vec2 complex_acos(vec2 z) {
  const ComplexRoots roots = complex_roots(z);
  return vec2(2.0 * math_atan2(roots.left.x, roots.right.x),
              math_asinh(complex_multiply(complex_conjugate(roots.right), roots.left).y));
}

// i acos(z) or -i acos(z), the one whose real part is not negative.
vec2 complex_acosh(vec2 z) {
  const vec2 angle = complex_acos(z);
  return has_sign(z.y) ? complex_turned_back(angle) : complex_turned(angle);
}

vec2 complex_atanh(vec2 z) {
  const float x = abs(z.x);
  const float gap = 1.0 - x;
  const float real = 0.25 * math_log1p(4.0 * x / fma(gap, gap, z.y * z.y));
  return vec2(copy_sign(real, z.x), 0.5 * math_atan2(2.0 * z.y, fma(gap, 1.0 + x, -z.y * z.y)));
}

vec2 complex_pow(vec2 a, vec2 b) { return complex_exp(complex_multiply(b, complex_log(a))); }
