// When a command buffer has enough work in it. Knows no device: the encoder, the planner and the simulator share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>

namespace plimsoll::gpu {

// A buffer that an operation touches, for policies that count elements.
struct TouchedArray {
  uint64_t home = 0;      // identity of the backing buffer
  uint64_t elements = 0;  // array::data_size()
};

class SubmissionPolicy {
 public:
  SubmissionPolicy() = default;
  virtual ~SubmissionPolicy() = default;
  SubmissionPolicy(const SubmissionPolicy&) = delete;
  SubmissionPolicy& operator=(const SubmissionPolicy&) = delete;

  // An operation was recorded in the open command buffer: whether to commit it now. `new_buffers`: memory had to be
  // asked of the driver for it.
  virtual bool add(uint32_t dispatches, std::span<const TouchedArray> arrays, bool new_buffers) = 0;

  // The open command buffer was committed, for whatever reason. `was_idle`: the device had nothing to do then.
  virtual void committed(bool was_idle) = 0;
};

// The project's own: commits early while the device is idle, so that it starts at once, and later the busier it is.
// From 8 dispatches, doubled with each commit to a busy device, up to 256; after 50 where new buffers were made.
class GrowingCommandBuffers final : public SubmissionPolicy {
 public:
  static constexpr uint32_t kFirst = 8;
  static constexpr uint32_t kLargest = 256;
  static constexpr uint32_t kWithNewBuffers = 50;

  bool add(uint32_t dispatches, std::span<const TouchedArray> arrays, bool new_buffers) override;
  void committed(bool was_idle) override;

 private:
  uint32_t limit_ = kFirst;
  uint32_t dispatches_ = 0;
  bool new_buffers_ = false;
};

// MLX 0.32's: after an operation, commits if dispatches > max_operations or (elements >> 20) > max_megaelements, the
// elements of each backing buffer counted once a command buffer.
class MlxPacking final : public SubmissionPolicy {
 public:
  MlxPacking(uint32_t max_operations, uint64_t max_megaelements)
      : max_operations_(max_operations), max_megaelements_(max_megaelements) {}

  // The limits of an Apple GPU by the last letter of its architecture's name ("applegpu_g13s"): phones 20/40, base and
  // pro 40/40, max and ultra 50/50.
  static std::unique_ptr<MlxPacking> for_architecture(char last_letter);

  bool add(uint32_t dispatches, std::span<const TouchedArray> arrays, bool new_buffers) override;
  void committed(bool was_idle) override;

  uint64_t megaelements() const { return elements_ >> 20; }

 private:
  const uint32_t max_operations_;
  const uint64_t max_megaelements_;
  uint32_t operations_ = 0;
  uint64_t elements_ = 0;
  std::unordered_set<uint64_t> seen_;
};

// PLIMSOLL_SUBMISSION=growing (the default) or mlx; the latter's limits from PLIMSOLL_MAX_OPS_PER_BUFFER and
// PLIMSOLL_MAX_MEGAELEMENTS_PER_BUFFER (50 and 50). Throws std::invalid_argument for another value.
std::unique_ptr<SubmissionPolicy> make_policy_from_environment();

}  // namespace plimsoll::gpu
