// Reading and writing at computed positions.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// inputs: source, then one array of integers for each of `axes`, all of one shape. Output: indices' shape +
// slice_sizes.
class Gather : public Primitive {
 public:
  Gather(Stream stream, std::vector<int> axes, Shape slice_sizes)
      : Primitive(stream), axes_(std::move(axes)), slice_sizes_(std::move(slice_sizes)) {}
  const char* name() const override { return "Gather"; }
  const std::vector<int>& axes() const { return axes_; }
  const Shape& slice_sizes() const { return slice_sizes_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  std::vector<int> axes_;
  Shape slice_sizes_;
};

// inputs: source, updates, then the indices as in Gather. In place when nothing else owns the source.
class Scatter : public Primitive {
 public:
  enum class Mode : uint8_t { kNone, kSum, kProd, kMax, kMin };

  Scatter(Stream stream, Mode mode, std::vector<int> axes) : Primitive(stream), mode_(mode), axes_(std::move(axes)) {}
  const char* name() const override { return "Scatter"; }
  Mode mode() const { return mode_; }
  const std::vector<int>& axes() const { return axes_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Mode mode_;
  std::vector<int> axes_;
};

// inputs: source, indices of the source's shape except along the axis. Output: the indices' shape.
class GatherAxis : public Primitive {
 public:
  GatherAxis(Stream stream, int axis) : Primitive(stream), axis_(axis) {}
  const char* name() const override { return "GatherAxis"; }
  int axis() const { return axis_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  int axis_;
};

// inputs: source, indices, updates of the indices' shape.
class ScatterAxis : public Primitive {
 public:
  enum class Mode : uint8_t { kNone, kSum };

  ScatterAxis(Stream stream, Mode mode, int axis) : Primitive(stream), mode_(mode), axis_(axis) {}
  const char* name() const override { return "ScatterAxis"; }
  Mode mode() const { return mode_; }
  int axis() const { return axis_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Mode mode_;
  int axis_;
};

}  // namespace plimsoll
