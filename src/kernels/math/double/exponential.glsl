// Exponentials, logarithms and hyperbolic functions.

const double kDoubleLn2High = 0.6931471803691238lf;  // 32 bits: exact times any exponent
const double kDoubleLn2Low = 1.9082149292705877e-10lf;
const double kDoubleLn2 = 0.6931471805599453lf;

// exp(r) - 1 for |r| <= ln(2) / 2: Taylor's series.
double double_expm1_reduced(double r) {
  const double c[13] = double[](0.5lf, 0.16666666666666666lf, 0.041666666666666664lf, 0.008333333333333333lf,
                                0.001388888888888889lf, 0.0001984126984126984lf, 2.48015873015873e-05lf,
                                2.7557319223985893e-06lf, 2.755731922398589e-07lf, 2.505210838544172e-08lf,
                                2.08767569878681e-09lf, 1.6059043836821613e-10lf, 1.1470745597729725e-11lf);
  double q = c[12];
  for (int k = 11; k >= 0; --k) q = fma(q, r, c[k]);
  return fma(r * r, q, r);
}

double double_reduce_by_ln2(double x, out int n) {
  const double count = roundEven(x * 1.4426950408889634lf);
  n = int(count);
  return multiply_add(-count, kDoubleLn2Low, multiply_add(-count, kDoubleLn2High, x));
}

double double_scale_by(double fraction, int n) {
  const int part = n >> 1;
  precise double scaled = fraction * double_power_of_two(part) * double_power_of_two(n - part);
  return scaled;
}

double double_exp(double x) {
  int n;
  const double r = double_reduce_by_ln2(min(max(x, -746.0lf), 710.0lf), n);
  return is_nan(x) ? x : double_scale_by(1.0lf + double_expm1_reduced(r), n);
}

double double_expm1(double x) {
  int n;
  const double reduced = double_expm1_reduced(double_reduce_by_ln2(min(max(x, -40.0lf), 710.0lf), n));
  const double scale = double_power_of_two(n - 1);
  const double half_result = fma(reduced, scale, scale - 0.5lf);
  return is_nan(x) || abs(x) < 1e-17lf ? x : half_result + half_result;
}

// Splits positive x into 2^exponent * m with m in [sqrt(1/2), sqrt(2)).
double double_split_exponent(double x, out double exponent) {
  const bool subnormal = magnitude_bits(x) < 0x0010000000000000UL;
  const int64_t bits = int64_t(magnitude_bits(subnormal ? x * 18014398509481984.0lf : x));
  const int64_t k = (bits - 0x3fe6a09e667f3bcdL) >> 52;
  exponent = double(int(k) - (subnormal ? 54 : 0));
  return double_from_bits(uint64_t(bits - (k << 52)));
}

// log(1 + f) - f + f^2 / 2 for 1 + f in [sqrt(1/2), sqrt(2)): with s = f / (2 + f), log(1 + f) = 2 atanh(s).
double double_log_rest(double f) {
  const double c[11] = double[](0.6666666666666666lf, 0.4lf, 0.2857142857142857lf, 0.2222222222222222lf,
                                0.18181818181818182lf, 0.15384615384615385lf, 0.13333333333333333lf,
                                0.11764705882352941lf, 0.10526315789473684lf, 0.09523809523809523lf,
                                0.08695652173913043lf);
  const double s = f / (2.0lf + f);
  const double square = s * s;
  double q = c[10];
  for (int k = 9; k >= 0; --k) q = fma(q, square, c[k]);
  return s * fma(q, square, 0.5lf * f * f);
}

// exponent * ln 2 + log(1 + f) + low.
double double_log_reduced(double exponent, double f, double low) {
  const double rest = double_log_rest(f) - 0.5lf * f * f;
  const double small = rest + fma(exponent, kDoubleLn2Low, low);
  precise double sum = f + small;
  return multiply_add(exponent, kDoubleLn2High, sum);
}

double double_log_special(double x, double value) {
  if (is_zero(x)) return -DOUBLE_INFINITY;
  if (is_nan(x)) return x;
  if (has_sign(x)) return DOUBLE_NAN;
  return is_inf(x) ? x : value;
}

double double_log(double x) {
  double exponent;
  const double f = double_split_exponent(x, exponent) - 1.0lf;
  return double_log_special(x, double_log_reduced(exponent, f, 0.0lf));
}

double double_log2(double x) {
  double exponent;
  const double log_m = double_log_reduced(0.0lf, double_split_exponent(x, exponent) - 1.0lf, 0.0lf);
  return double_log_special(x, fma(log_m, 1.4426950408889634lf, exponent));
}

double double_log10(double x) {
  double exponent;
  const double log_m = double_log_reduced(0.0lf, double_split_exponent(x, exponent) - 1.0lf, 0.0lf);
  const double low = fma(log_m, 0.4342944819032518lf, exponent * 1.1451100898021838e-10lf);
  return double_log_special(x, multiply_add(exponent, 0.3010299955494702lf, low));
}

double double_log1p(double x) {
  precise double sum = 1.0lf + x;
  double exponent;
  const double f = double_split_exponent(sum, exponent) - 1.0lf;
  precise double lost = x >= 1.0lf ? 1.0lf - (sum - x) : x - (sum - 1.0lf);
  const bool whole = exponent == 0.0lf;
  const double low = whole ? 0.0lf : lost / sum;
  const double value = double_log_special(sum, double_log_reduced(exponent, whole ? x : f, low));
  return abs(x) < 1e-17lf ? x : value;
}

double double_logaddexp(double a, double b) {
  if (is_nan(a) || is_nan(b)) return DOUBLE_NAN;
  const double larger = max(a, b);
  return is_inf(larger) ? larger : larger + double_log1p(double_exp(min(a, b) - larger));
}

double double_sigmoid(double x) {
  const double e = double_exp(-abs(x));
  return is_nan(x) ? x : (x < 0.0lf ? e : 1.0lf) / (1.0lf + e);
}

double double_tanh(double x) {
  const double u = double_expm1(2.0lf * min(abs(x), 40.0lf));
  return is_nan(x) ? x : copy_sign(u / (u + 2.0lf), x);
}

// Beyond, e^|x| may be infinite where half of it is not.
const double kDoubleHyperbolicLarge = 709.0lf;

double double_sinh(double x) {
  const double a = abs(x);
  const double u = double_expm1(min(a, kDoubleHyperbolicLarge));
  const double root = double_exp(0.5lf * a);
  const double value = a > kDoubleHyperbolicLarge ? 0.5lf * root * root : 0.5lf * (u + u / (u + 1.0lf));
  return is_nan(x) ? x : copy_sign(value, x);
}

double double_cosh(double x) {
  const double a = abs(x);
  const double e = double_exp(min(a, kDoubleHyperbolicLarge));
  const double root = double_exp(0.5lf * a);
  return is_nan(x) ? x : a > kDoubleHyperbolicLarge ? 0.5lf * root * root : fma(0.5lf, e, 0.5lf / e);
}

// Above, the square root of 1 + x^2 is x.
const double kDoubleSquareLarge = 268435456.0lf;

double double_asinh(double x) {
  const double a = abs(x);
  const double b = min(a, kDoubleSquareLarge);
  const double small = double_log1p(b + b * b / (1.0lf + sqrt(b * b + 1.0lf)));
  const double value = a < kDoubleSquareLarge ? small : double_log(a) + kDoubleLn2;
  return is_nan(x) ? x : copy_sign(value, x);
}

double double_acosh(double x) {
  if (is_nan(x)) return x;
  if (x < 1.0lf) return DOUBLE_NAN;
  if (x >= kDoubleSquareLarge) return double_log(x) + kDoubleLn2;
  precise double t = x - 1.0lf;
  return double_log1p(t + sqrt(fma(t, t, t + t)));
}

double double_atanh(double x) {
  const double a = abs(x);
  if (is_nan(x) || a > 1.0lf) return DOUBLE_NAN;
  if (a == 1.0lf) return copy_sign(DOUBLE_INFINITY, x);
  return copy_sign(0.5lf * double_log1p((a + a) / (1.0lf - a)), x);
}
