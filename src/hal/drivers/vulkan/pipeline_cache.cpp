#include "hal/drivers/vulkan/pipeline_cache.h"

#include <utility>

#include "base/file.h"
#include "base/sha256.h"

namespace plimsoll::hal::vulkan {
namespace {

std::string key_of(std::span<const uint32_t> spirv, std::span<const uint32_t> constants) {
  const uint64_t words = spirv.size();
  base::Sha256 sum;
  sum.update(std::as_bytes(std::span(&words, 1)));
  sum.update(std::as_bytes(spirv));
  sum.update(std::as_bytes(constants));
  return base::to_hex(sum.finish());
}

}  // namespace

PipelineCacheFile::PipelineCacheFile(const LogicalDevice& device, const DiskCache& disk, std::string key)
    : device_(device), disk_(disk), key_(std::move(key)), loaded_(disk_.load(key_).value_or("")) {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = loaded_.size();
  info.pInitialData = loaded_.data();
  VkPipelineCache cache = VK_NULL_HANDLE;
  if (device.vk().CreatePipelineCache(device.handle(), &info, nullptr, &cache) == VK_SUCCESS) {
    cache_ = OwnedPipelineCache(device, cache);
  }
}

void PipelineCacheFile::save() const {
  if (!cache_) return;
  const DeviceFunctions& vk = device_.vk();
  size_t bytes = 0;
  if (vk.GetPipelineCacheData(device_.handle(), cache_.get(), &bytes, nullptr) != VK_SUCCESS) return;
  // Devices that keep nothing give their header alone.
  if (bytes <= sizeof(VkPipelineCacheHeaderVersionOne)) return;
  std::string data(bytes, '\0');
  if (vk.GetPipelineCacheData(device_.handle(), cache_.get(), &bytes, data.data()) != VK_SUCCESS) return;
  data.resize(bytes);
  if (data != loaded_) disk_.store(key_, data);
}

PipelineCacheFolder::PipelineCacheFolder(const LogicalDevice& device)
    : device_(device),
      disk_(base::plimsoll_home() / "pipelines" / device.probe().info.identity, device.probe().info.identity) {}

PipelineCacheFile PipelineCacheFolder::open(std::span<const uint32_t> spirv,
                                            std::span<const uint32_t> constants) const {
  return {device_, disk_, key_of(spirv, constants)};
}

}  // namespace plimsoll::hal::vulkan
