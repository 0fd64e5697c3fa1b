// The whole public API.
#pragma once

#include "plimsoll/array.h"
#include "plimsoll/device.h"
#include "plimsoll/dtype.h"
#include "plimsoll/errors.h"
#include "plimsoll/fast.h"
#include "plimsoll/io.h"
#include "plimsoll/lm.h"
#include "plimsoll/memory.h"
#include "plimsoll/nn.h"
#include "plimsoll/ops.h"
#include "plimsoll/quantized.h"
#include "plimsoll/random.h"
#include "plimsoll/text/chat_template.h"
#include "plimsoll/text/streaming_decoder.h"
#include "plimsoll/text/tokenizer.h"
#include "plimsoll/transforms.h"
