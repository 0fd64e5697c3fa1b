// Slices as views, and writing to slices.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// Start, stop and step of each axis, normalized: 0 <= start, and stop is one past the last element taken (possibly -1
// for a negative step).
struct SliceSpec {
  Shape start;
  Shape stop;
  Shape strides;

  bool operator==(const SliceSpec&) const = default;
};

class Slice : public Primitive {
 public:
  Slice(Stream stream, SliceSpec spec) : Primitive(stream), spec_(std::move(spec)) {}
  const char* name() const override { return "Slice"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  SliceSpec spec_;
};

// inputs: source, update. Written in place when nothing else owns the source.
class SliceUpdate : public Primitive {
 public:
  SliceUpdate(Stream stream, SliceSpec spec) : Primitive(stream), spec_(std::move(spec)) {}
  const char* name() const override { return "SliceUpdate"; }
  const SliceSpec& spec() const { return spec_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  SliceSpec spec_;
};

// A slice whose start is computed. inputs: source, start.
class DynamicSlice : public Primitive {
 public:
  DynamicSlice(Stream stream, std::vector<int> axes, Shape slice_size)
      : Primitive(stream), axes_(std::move(axes)), slice_size_(std::move(slice_size)) {}
  const char* name() const override { return "DynamicSlice"; }
  const std::vector<int>& axes() const { return axes_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  std::vector<int> axes_;
  Shape slice_size_;
};

// inputs: source, update, start.
class DynamicSliceUpdate : public Primitive {
 public:
  DynamicSliceUpdate(Stream stream, std::vector<int> axes) : Primitive(stream), axes_(std::move(axes)) {}
  const char* name() const override { return "DynamicSliceUpdate"; }
  const std::vector<int>& axes() const { return axes_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  std::vector<int> axes_;
};

}  // namespace plimsoll
