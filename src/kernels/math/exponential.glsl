// Exponentials and logarithms.

const float kLog2E = 1.442695;          // 0x1.715476p+0
const float kLn2High = 0.693145751953125;  // 15 bits: exact times any exponent
const float kLn2Low = 1.428606765330187e-06;  // 0x1.7f7d1cp-20

// exp(r) - 1 for |r| <= ln(2) / 2.
float expm1_reduced(float r) {
  float q = 0.00019764414;
  q = fma(q, r, 0.0013932381);
  q = fma(q, r, 0.008333543);
  q = fma(q, r, 0.041666493);
  q = fma(q, r, 0.16666666);
  q = fma(q, r, 0.5);
  return fma(r * r, q, r);
}

// Splits x into n ln 2 + r with |r| <= ln(2) / 2; |n| < 256.
float reduce_by_ln2(float x, out int n) {
  const float count = roundEven(x * kLog2E);
  n = int(count);
  return multiply_add(-count, kLn2Low, multiply_add(-count, kLn2High, x));
}

// fraction * 2^n for |n| < 252: in two steps, which reach subnormals and infinity, and round once.
float scale_by(float fraction, int n) {
  const int part = n >> 1;
  precise float scaled = fraction * power_of_two(part) * power_of_two(n - part);
  return scaled;
}

// e^x. 1.0 ulp
float math_exp(float x) {
  int n;
  const float r = reduce_by_ln2(min(max(x, -105.0), 89.0), n);
  return is_nan(x) ? x : scale_by(1.0 + expm1_reduced(r), n);
}

// 2^x. 1.0 ulp
float math_exp2(float x) {
  const float clamped = min(max(x, -151.0), 129.0);
  const float count = roundEven(clamped);
  const float r = (clamped - count) * 0.6931472;
  return is_nan(x) ? x : scale_by(1.0 + expm1_reduced(r), int(count));
}

// e^x - 1. 1.5 ulp
float math_expm1(float x) {
  int n;
  const float reduced = expm1_reduced(reduce_by_ln2(min(max(x, -18.0), 89.0), n));
  // Half of the result first: 2^128 has no float.
  const float scale = power_of_two(n - 1);
  const float half_result = fma(reduced, scale, scale - 0.5);
  const bool same = is_nan(x) || magnitude_bits(x) < 0x33000000u;  // 2^-25
  return same ? x : half_result + half_result;
}

// Splits positive x, subnormals included, into 2^exponent * m with m in [sqrt(1/2), sqrt(2)).
float split_exponent(float x, out float exponent) {
  const uint bits_x = floatBitsToUint(x);
  const bool subnormal = bits_x < 0x00800000u;
  const int bits = int(subnormal ? floatBitsToUint(float(bits_x)) : bits_x);
  const int k = (bits - 0x3f3504f3) >> 23;
  exponent = float(subnormal ? k - 149 : k);
  return intBitsToFloat(bits - (k << 23));
}

// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f in [sqrt(1/2), sqrt(2)).
float log_polynomial(float f) {
  float q = 0.0674919;
  q = fma(q, f, -0.11670025);
  q = fma(q, f, 0.118835375);
  q = fma(q, f, -0.1240624);
  q = fma(q, f, 0.1422036);
  q = fma(q, f, -0.16667989);
  q = fma(q, f, 0.20002072);
  q = fma(q, f, -0.2500001);
  return fma(q, f, 0.33333313);
}

// exponent * ln 2 + log(1 + f) + low, for a `low` below 2^-23.
float log_reduced(float exponent, float f, float low) {
  const float bracket = fma(f, log_polynomial(f), -0.5);
  const float small = fma(f * f, bracket, fma(exponent, kLn2Low, low));
  precise float sum = f + small;
  return multiply_add(exponent, kLn2High, sum);
}

// `value`, the logarithm of x, where x is positive and finite; its limits elsewhere.
float log_special(float x, float value) {
  if (is_zero(x)) return -FLOAT_INFINITY;
  if (is_nan(x)) return x;
  if (has_sign(x)) return FLOAT_NAN;
  return is_inf(x) ? x : value;
}

// Natural logarithm. 0.9 ulp
float math_log(float x) {
  float exponent;
  const float f = split_exponent(x, exponent) - 1.0;
  return log_special(x, log_reduced(exponent, f, 0.0));
}

// 1.5 ulp; exact for powers of two
float math_log2(float x) {
  float exponent;
  const float log_m = log_reduced(0.0, split_exponent(x, exponent) - 1.0, 0.0);
  const float kLog2ELow = 1.925963e-8;
  return log_special(x, exponent + fma(log_m, kLog2E, log_m * kLog2ELow));
}

// 1.9 ulp
float math_log10(float x) {
  float exponent;
  const float log_m = log_reduced(0.0, split_exponent(x, exponent) - 1.0, 0.0);
  const float kLog10Of2High = 0.301025390625;
  const float kLog10Of2Low = 4.605039e-6;
  return log_special(x, multiply_add(exponent, kLog10Of2High, fma(log_m, 0.4342945, exponent * kLog10Of2Low)));
}

// log(1 + x). 0.9 ulp
float math_log1p(float x) {
  precise float sum = 1.0 + x;
  float exponent;
  const float f = split_exponent(sum, exponent) - 1.0;
  // What the sum rounded off, exact by the order of the operands; without an exponent x itself is the exact f.
  precise float lost = x >= 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
  const bool whole = exponent == 0.0;
  const float low = whole ? 0.0 : lost / sum;
  const float value = log_special(sum, log_reduced(exponent, whole ? x : f, low));
  return magnitude_bits(x) < 0x33000000u ? x : value;  // 2^-25
}

// log(e^a + e^b).
float math_logaddexp(float a, float b) {
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  const float larger = a > b ? a : b;
  const float smaller = a > b ? b : a;
  return is_inf(larger) ? larger : larger + math_log1p(math_exp(smaller - larger));
}
