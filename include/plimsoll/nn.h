// Neural network building blocks.
#pragma once

#include "plimsoll/nn/layers.h"
#include "plimsoll/nn/losses.h"
#include "plimsoll/nn/weight.h"
