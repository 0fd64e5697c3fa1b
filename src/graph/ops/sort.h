// Order along an axis.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// NaN comes last; equal elements keep their order. The axis has at most 2^31 - 1 elements.
class Sort : public Primitive {
 public:
  // The partitions put the element that belongs at `kth` there, smaller ones before and larger ones behind it, both in
  // the same unspecified order.
  enum class Kind : uint8_t { kSort, kArgSort, kPartition, kArgPartition };

  Sort(Stream stream, Kind kind, int axis, int kth = 0) : Primitive(stream), kind_(kind), axis_(axis), kth_(kth) {}
  const char* name() const override;
  Kind kind() const { return kind_; }
  int axis() const { return axis_; }
  int kth() const { return kth_; }
  bool is_partition() const { return kind_ == Kind::kPartition || kind_ == Kind::kArgPartition; }
  bool gives_indices() const { return kind_ == Kind::kArgSort || kind_ == Kind::kArgPartition; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Kind kind_;
  int axis_;
  int kth_;
};

}  // namespace plimsoll
