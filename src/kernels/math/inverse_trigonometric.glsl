// Arc functions. The polynomials are minimax fits as those of cpu/math_coefficients.h.

const float kPi = 3.1415927410125732;
const float kPiLow = -8.742277657347586e-08;  // pi - kPi
const float kHalfPi = 1.5707963705062866;
const float kHalfPiLow = -4.371138828673793e-08;
const float kQuarterPi = 0.7853981852531433;
const float kQuarterPiLow = -2.1855694143368964e-08;
const float kTanEighthPi = 0.41421357;

// atan(t) for |t| <= tan(pi / 8); the fit: 0.01 * 2^-24.
float atan_reduced(float t) {
  const float square = t * t;
  float q = -0.06090138852596283;
  q = fma(q, square, 0.1059919148683548);
  q = fma(q, square, -0.1424439251422882);
  q = fma(q, square, 0.19998528063297272);
  q = fma(q, square, -0.33333316445350647);
  return fma(t * square, q, t);
}

// atan(smaller / larger) for 0 <= smaller <= larger, both finite, larger not 0.
float atan_ratio(float smaller, float larger) {
  const float t = divide(smaller, larger);
  if (t <= kTanEighthPi) return atan_reduced(t);
  return kQuarterPi + (atan_reduced((t - 1.0) / (t + 1.0)) + kQuarterPiLow);
}

// 2.4 ulp
float math_atan(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x);
  const float inverse = a > 1.0 ? 1.0 / a : a;
  const float r = atan_ratio(inverse, 1.0);
  return copy_sign(a > 1.0 ? kHalfPi - (r - kHalfPiLow) : r, x);
}

// The angle of the point (x, y) in (-pi, pi]. 2.5 ulp
float math_atan2(float y, float x) {
  if (is_nan(x) || is_nan(y)) return FLOAT_NAN;
  const float a = abs(y);
  const float b = abs(x);
  const float larger = max(a, b);
  // Infinite both: the diagonal. Zero both: the axis.
  const float r = larger == 0.0                      ? 0.0
                  : is_inf(larger)                   ? (a == b ? kQuarterPi : 0.0)
                                                     : atan_ratio(min(a, b), larger);
  const float upper = a > b ? kHalfPi - (r - kHalfPiLow) : r;
  return copy_sign(has_sign(x) ? kPi - (upper - kPiLow) : upper, y);
}

// asin(t) for |t| <= 1/2; the fit: 0.08 * 2^-24.
float asin_reduced(float t) {
  const float square = t * t;
  float q = 0.042158305644989014;
  q = fma(q, square, 0.024184778332710266);
  q = fma(q, square, 0.04546914994716644);
  q = fma(q, square, 0.074953094124794);
  q = fma(q, square, 0.16666752099990845);
  return fma(t * square, q, t);
}

// 2.4 ulp
float math_asin(float x) {
  const float a = abs(x);
  if (is_nan(x) || a > 1.0) return FLOAT_NAN;
  if (a <= 0.5) return is_zero(x) ? x : asin_reduced(x);
  const float r = asin_reduced(sqrt(fma(-0.5, a, 0.5)));
  return copy_sign(kHalfPi - (r + r - kHalfPiLow), x);
}

// 2.4 ulp
float math_acos(float x) {
  const float a = abs(x);
  if (is_nan(x) || a > 1.0) return FLOAT_NAN;
  if (a <= 0.5) return kHalfPi - (asin_reduced(x) - kHalfPiLow);
  const float r = asin_reduced(sqrt(fma(-0.5, a, 0.5)));
  return has_sign(x) ? kPi - (r + r - kPiLow) : r + r;
}
