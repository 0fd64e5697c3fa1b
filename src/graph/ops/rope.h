// Rotary position embedding.
#pragma once

#include <optional>

#include "graph/primitive.h"

namespace plimsoll::fast {

// inputs: x [..., L, D], offset (int32: one, or one for each entry of the first axis), and the wave lengths
// freqs [dims / 2] in float32 unless there is a base: element i turns by position / freqs[i].
class RoPE : public Primitive {
 public:
  struct Parameters {
    int dims;
    bool traditional;
    std::optional<float> base;
    float scale;
    bool inverse;  // rotates back: the gradient

    bool operator==(const Parameters&) const = default;
  };

  RoPE(Stream stream, const Parameters& parameters) : Primitive(stream), parameters_(parameters) {}
  const char* name() const override { return "RoPE"; }
  const Parameters& parameters() const { return parameters_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Parameters parameters_;
};

}  // namespace plimsoll::fast
