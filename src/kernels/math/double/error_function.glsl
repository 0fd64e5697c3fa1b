// The error function and its inverse.

// Below, the series of erf; above, the continued fraction of erfc.
const double kDoubleErfSwitch = 2.5lf;
const double kDoubleErfHighest = 6.0lf;  // erf rounds to 1

// For 0 <= x <= kDoubleErfSwitch, by a series of positive terms: 2 / sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!
double double_erf_series(double x) {
  const double square = x * x;
  double term = x;
  double sum = x;
  for (int n = 1; n < 60; ++n) {
    term *= 2.0lf * square / double(2 * n + 1);
    sum += term;
  }
  return 1.1283791670955126lf * double_exp(-square) * sum;
}

// 1 - erf(x) for x >= 0.
double double_erfc(double x) {
  if (x <= kDoubleErfSwitch) return 1.0lf - double_erf_series(x);
  // e^(-x^2) / sqrt(pi) / (x + (1/2) / (x + (2/2) / (x + ...
  double fraction = x;
  for (int n = 60; n >= 1; --n) fraction = x + 0.5lf * double(n) / fraction;
  return double_exp(-x * x) * 0.5641895835477563lf / fraction;
}

double double_erf(double x) {
  const double a = abs(x);
  const double value = a > kDoubleErfHighest   ? 1.0lf
                       : a > kDoubleErfSwitch ? 1.0lf - double_erfc(a)
                                              : double_erf_series(a);
  return is_nan(x) ? x : copy_sign(value, x);
}

// Within 1e-3 of erfinv(x) for 0 <= x < 1, by Winitzki's formula with a = 0.147.
double double_erfinv_estimate(double x) {
  const double logarithm = double_log((1.0lf - x) * (1.0lf + x));
  const double half_sum = 4.330746750799873lf + 0.5lf * logarithm;  // 2 / (pi a)
  return sqrt(max(sqrt(half_sum * half_sum - logarithm / 0.147lf) - half_sum, 0.0lf));
}

double double_erfinv(double x) {
  const double a = abs(x);
  if (is_nan(x) || a > 1.0lf) return DOUBLE_NAN;
  if (a == 1.0lf) return copy_sign(DOUBLE_INFINITY, x);
  if (a < 7.450580596923828e-09lf) return x * 0.886226925452758lf;
  double y = double_erfinv_estimate(a);
  // Halley's method; erfc where 1 - x is the exact number.
  for (int n = 0; n < 3; ++n) {
    const double error = a < 0.5lf ? double_erf(y) - a : (1.0lf - a) - double_erfc(y);
    const double newton = error * 0.886226925452758lf * double_exp(y * y);
    y -= newton / (1.0lf + y * newton);
  }
  return copy_sign(y, x);
}
