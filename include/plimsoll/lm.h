// Language models.
#pragma once

#include "plimsoll/lm/config.h"
#include "plimsoll/lm/generate.h"
#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/lm/model.h"
#include "plimsoll/lm/perplexity.h"
#include "plimsoll/lm/registry.h"
#include "plimsoll/lm/sampling.h"
#include "plimsoll/lm/session.h"
#include "plimsoll/lm/tiny_model.h"
