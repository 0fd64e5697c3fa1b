// The parts of a tokenizer.json that name their kind: normalizers, pre-tokenizers, post-processors and decoders.
#pragma once

#include "plimsoll/text/tokenizer_spec.h"
#include "base/json.h"

namespace plimsoll::text {

// Each reads one part into `spec`. FileError naming the field, and by its type's name for a kind that is not supported.
void read_normalizer(const base::JsonValue& part, TokenizerSpec& spec);
void read_pre_tokenizer(const base::JsonValue& part, TokenizerSpec& spec);
void read_post_processor(const base::JsonValue& part, TokenizerSpec& spec);

// Requires spec.kind.
void read_decoder(const base::JsonValue& part, TokenizerSpec& spec);

}  // namespace plimsoll::text
