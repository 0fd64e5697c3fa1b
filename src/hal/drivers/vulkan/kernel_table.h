// The kernels that a device has made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hal/drivers/vulkan/kernel.h"
#include "hal/drivers/vulkan/pipeline_builder.h"

namespace plimsoll::hal::vulkan {

// Thread-safe. Who asks for a kernel that another thread is making waits for it; other kernels are not held up. What
// failed is tried again at the next call.
class KernelTable {
 public:
  explicit KernelTable(const LogicalDevice& device);

  VkPipelineLayout layout() const { return builder_.layout(); }

  const Kernel& get(const KernelCode& code, std::span<const uint32_t> constants);
  const Kernel& get_from_source(const std::string& name, std::string_view source, std::span<const uint32_t> constants);

 private:
  // Code is told apart by where its words lie: code of kernels is never freed before the device.
  struct Key {
    const uint32_t* words;
    std::vector<uint32_t> constants;
  };
  struct KeyView {
    const uint32_t* words;
    std::span<const uint32_t> constants;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const KeyView& key) const noexcept;
    size_t operator()(const Key& key) const noexcept { return (*this)(KeyView{key.words, key.constants}); }
  };
  struct KeyEqual {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const noexcept {
      return a.words == b.words &&
             std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end());
    }
  };
  // Made at most once at a time: `making` is held meanwhile.
  struct KernelSlot {
    std::mutex making;
    std::unique_ptr<Kernel> kernel;
  };
  struct SourceSlot {
    std::mutex making;
    std::vector<uint32_t> spirv;  // empty until compiled
  };

  KernelSlot& slot(const KeyView& key);
  SourceSlot& source_slot(std::string_view source);
  std::span<const uint32_t> compiled(const std::string& name, std::string_view source);

  PipelineBuilder builder_;
  std::shared_mutex mutex_;  // of the maps; slots never move
  std::unordered_map<Key, KernelSlot, KeyHash, KeyEqual> kernels_;
  std::map<std::string, SourceSlot, std::less<>> sources_;
};

}  // namespace plimsoll::hal::vulkan
