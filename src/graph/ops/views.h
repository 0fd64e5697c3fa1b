// Primitives that look at the same elements in another arrangement. Where strides can express it nothing is copied.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// The same array: what `copy` makes. Shares the buffer, as MLX's does; a write to either copies then.
class Copy : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "Copy"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

// Identity whose derivative is zero.
class StopGradient : public Copy {
 public:
  using Copy::Copy;
  const char* name() const override { return "StopGradient"; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
};

// Row-major (or column-major, if allowed) elements.
class Contiguous : public Primitive {
 public:
  Contiguous(Stream stream, bool allow_col_major) : Primitive(stream), allow_col_major_(allow_col_major) {}
  const char* name() const override { return "Contiguous"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  bool allow_col_major_;
};

class Reshape : public Primitive {
 public:
  Reshape(Stream stream, Shape shape) : Primitive(stream), shape_(std::move(shape)) {}
  const char* name() const override { return "Reshape"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Shape shape_;
};

class Transpose : public Primitive {
 public:
  Transpose(Stream stream, std::vector<int> axes) : Primitive(stream), axes_(std::move(axes)) {}
  const char* name() const override { return "Transpose"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  std::vector<int> axes_;  // output axis i is input axis axes_[i]
};

class Broadcast : public Primitive {
 public:
  Broadcast(Stream stream, Shape shape) : Primitive(stream), shape_(std::move(shape)) {}
  const char* name() const override { return "Broadcast"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Shape shape_;
};

// Any strides over a row-major input.
class AsStrided : public Primitive {
 public:
  AsStrided(Stream stream, Strides strides, size_t offset)
      : Primitive(stream), strides_(std::move(strides)), offset_(offset) {}
  const char* name() const override { return "AsStrided"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Strides strides_;  // elements
  size_t offset_;    // elements
};

// The bytes of a row-major input as another dtype.
class View : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "View"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
};

// Strides of `shape` over the elements of an array in row-major order, if no copy is needed; false if it is.
bool reshape_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& out);

}  // namespace plimsoll
