// Codes of BinaryKind (graph/ops/binary.h), in its order.
#define BINARY_ADD 0
#define BINARY_ARC_TAN2 1
#define BINARY_BITWISE_AND 2
#define BINARY_BITWISE_OR 3
#define BINARY_BITWISE_XOR 4
#define BINARY_DIVIDE 5
#define BINARY_EQUAL 6
#define BINARY_FLOOR_DIVIDE 7
#define BINARY_GREATER 8
#define BINARY_GREATER_EQUAL 9
#define BINARY_LEFT_SHIFT 10
#define BINARY_LESS 11
#define BINARY_LESS_EQUAL 12
#define BINARY_LOG_ADD_EXP 13
#define BINARY_LOGICAL_AND 14
#define BINARY_LOGICAL_OR 15
#define BINARY_MAXIMUM 16
#define BINARY_MINIMUM 17
#define BINARY_MULTIPLY 18
#define BINARY_NOT_EQUAL 19
#define BINARY_POWER 20
#define BINARY_REMAINDER 21
#define BINARY_RIGHT_SHIFT 22
#define BINARY_SUBTRACT 23
#define BINARY_SWIGLU 24

// Whether the result is bool.
bool is_comparison(uint kind) {
  switch (kind) {
    case BINARY_EQUAL:
    case BINARY_NOT_EQUAL:
    case BINARY_GREATER:
    case BINARY_GREATER_EQUAL:
    case BINARY_LESS:
    case BINARY_LESS_EQUAL:
    case BINARY_LOGICAL_AND:
    case BINARY_LOGICAL_OR:
      return true;
    default:
      return false;
  }
}

// A comparison, given how the operands lie: negative, zero or positive, as a - b is. Nothing holds of NaN but that it
// differs.
bool holds(uint kind, int order, bool unordered) {
  switch (kind) {
    case BINARY_EQUAL:
      return order == 0 && !unordered;
    case BINARY_NOT_EQUAL:
      return order != 0 || unordered;
    case BINARY_GREATER:
      return order > 0 && !unordered;
    case BINARY_GREATER_EQUAL:
      return order >= 0 && !unordered;
    case BINARY_LESS:
      return order < 0 && !unordered;
    default:
      return order <= 0 && !unordered;
  }
}
