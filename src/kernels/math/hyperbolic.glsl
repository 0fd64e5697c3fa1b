// Hyperbolic functions and their inverses, and the logistic function.

// 1.4 ulp
float math_tanh(float x) {
  const float a = abs(x);
  const float square = a * a;
  float q = -0.0058979667;
  q = fma(q, square, 0.020798625);
  q = fma(q, square, -0.053784717);
  q = fma(q, square, 0.13331936);
  q = fma(q, square, -0.333333);
  const float small = fma(a * square, q, a);
  const float large = 1.0 - 2.0 / (math_exp(a + a) + 1.0);
  return is_nan(x) ? x : copy_sign(a < 0.6 ? small : large, x);
}

// 1 / (1 + e^-x). 2.4 ulp
float math_sigmoid(float x) {
  const float e = math_exp(-abs(x));
  return is_nan(x) ? x : (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// Beyond, e^|x| may be infinite where half of it is not.
const float kHyperbolicLarge = 88.0;

// 2.5 ulp
float math_sinh(float x) {
  const float a = abs(x);
  const float u = math_expm1(min(a, kHyperbolicLarge));
  const float root = math_exp(0.5 * a);
  const float value = a > kHyperbolicLarge ? 0.5 * root * root : 0.5 * (u + u / (u + 1.0));
  return is_nan(x) ? x : copy_sign(value, x);
}

// 2.5 ulp
float math_cosh(float x) {
  const float a = abs(x);
  const float e = math_exp(min(a, kHyperbolicLarge));
  const float root = math_exp(0.5 * a);
  return is_nan(x) ? x : a > kHyperbolicLarge ? 0.5 * root * root : fma(0.5, e, 0.5 / e);
}

// The hyperbolic sine and cosine. 2.5 ulp
vec2 math_sinh_cosh(float x) {
  const float a = abs(x);
  const float u = math_expm1(min(a, kHyperbolicLarge));
  const float root = math_exp(0.5 * a);
  const float large = 0.5 * root * root;
  const float inverse = 0.5 / (u + 1.0);
  const vec2 small = vec2(0.5 * u + u * inverse, fma(0.5, u, 0.5) + inverse);
  const vec2 value = a > kHyperbolicLarge ? vec2(large) : small;
  return is_nan(x) ? vec2(x) : vec2(copy_sign(value.x, x), value.y);
}

const float kLn2 = 0.6931472;
// Above, the square root of 1 + x^2 is x.
const float kSquareLarge = 16384.0;

// 2.5 ulp
float math_asinh(float x) {
  const float a = abs(x);
  const float b = min(a, kSquareLarge);
  const float square = b * b;
  const float small = math_log1p(b + square / (1.0 + sqrt(square + 1.0)));
  const float value = a < kSquareLarge ? small : math_log(a) + kLn2;
  return is_nan(x) ? x : copy_sign(value, x);
}

// 2.5 ulp
float math_acosh(float x) {
  if (is_nan(x)) return x;
  if (x < 1.0) return FLOAT_NAN;
  if (x >= kSquareLarge) return math_log(x) + kLn2;
  precise float t = x - 1.0;
  return math_log1p(t + sqrt(fma(t, t, t + t)));
}

// 2.5 ulp
float math_atanh(float x) {
  const float a = abs(x);
  if (is_nan(x) || a > 1.0) return FLOAT_NAN;
  if (a == 1.0) return copy_sign(FLOAT_INFINITY, x);
  const float twice = a + a;
  const float argument = a < 0.5 ? fma(twice, a / (1.0 - a), twice) : twice / (1.0 - a);
  return copy_sign(0.5 * math_log1p(argument), x);
}
