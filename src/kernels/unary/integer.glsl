// Functions of one integer or bool. Results wrap as they are stored.

int64_t apply_integer(uint kind, uint dtype, int64_t x) {
  const bool is_signed = dtype != DTYPE_UINT64;  // the narrower unsigned ones are not negative here
  switch (kind) {
    case UNARY_ABS:
      return is_signed && x < 0 ? -x : x;
    case UNARY_NEGATIVE:
      return -x;
    case UNARY_SIGN:
      return x == 0 ? int64_t(0) : is_signed && x < 0 ? int64_t(-1) : int64_t(1);
    case UNARY_SQUARE:
      return x * x;
    case UNARY_BITWISE_INVERT:
      return dtype == DTYPE_BOOL ? int64_t(x == 0 ? 1 : 0) : ~x;
    case UNARY_LOGICAL_NOT:
      return int64_t(x == 0 ? 1 : 0);
    default:  // floor, ceil, round
      return x;
  }
}
