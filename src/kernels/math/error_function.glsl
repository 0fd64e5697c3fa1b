// The error function and its inverse.

// 1.3 ulp
float math_erf(float x) {
  const float a = abs(x);
  const float square = a * a;
  float s = 7.99665e-05;
  s = fma(s, square, -0.00080497697);
  s = fma(s, square, 0.005192405);
  s = fma(s, square, -0.026855731);
  s = fma(s, square, 0.11283626);
  s = fma(s, square, -0.3761263);
  s = fma(s, square, 0.12837917);
  const float small = fma(a, s, a);
  const float b = min(a, 4.0);
  float t = -2.1100403e-05;
  t = fma(t, b, 0.00043450465);
  t = fma(t, b, -0.0041711926);
  t = fma(t, b, 0.025119625);
  t = fma(t, b, -0.10828024);
  t = fma(t, b, -0.63334686);
  t = fma(t, b, -1.1295149);
  t = fma(t, b, 0.00017468327);
  const float value = a < 0.921875 ? small : 1.0 - math_exp(t);
  return is_nan(x) ? x : copy_sign(value, x);
}

// erfinv(x) / x in w - 2.5, w = -log(1 - x^2) < 5.
float erfinv_central(float v) {
  float q = -8.236154e-09;
  q = fma(q, v, 2.8180096e-08);
  q = fma(q, v, 4.599427e-07);
  q = fma(q, v, -3.5236185e-06);
  q = fma(q, v, -4.943461e-06);
  q = fma(q, v, 0.00021857733);
  q = fma(q, v, -0.0012527556);
  q = fma(q, v, -0.0041776686);
  q = fma(q, v, 0.24664028);
  return fma(q, v, 1.5014094);
}

// The same in sqrt(w) - 3, w >= 5.
float erfinv_tail(float v) {
  float q = 0.0001134017;
  q = fma(q, v, -0.00030524135);
  q = fma(q, v, -5.574986e-05);
  q = fma(q, v, 0.0014793875);
  q = fma(q, v, -0.0035964032);
  q = fma(q, v, 0.005689589);
  q = fma(q, v, -0.0076378454);
  q = fma(q, v, 0.009444818);
  q = fma(q, v, 1.001675);
  return fma(q, v, 2.8329768);
}

// Infinite at +-1, NaN beyond. 2.7 ulp
float math_erfinv(float x) {
  const float a = abs(x);
  if (is_nan(x) || a > 1.0) return FLOAT_NAN;
  if (a == 1.0) return copy_sign(FLOAT_INFINITY, x);
  const float w = -math_log((1.0 - a) * (1.0 + a));
  return x * (w < 5.0 ? erfinv_central(w - 2.5) : erfinv_tail(sqrt(max(w, 0.0)) - 3.0));
}
