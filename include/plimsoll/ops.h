// The operations on arrays.
#pragma once

#include "plimsoll/ops/creation.h"
#include "plimsoll/ops/elementwise.h"
#include "plimsoll/ops/indexing.h"
#include "plimsoll/ops/linear.h"
#include "plimsoll/ops/reduce.h"
#include "plimsoll/ops/shape.h"
