// Compiled pipelines on disk: PLIMSOLL_HOME/pipelines/<device identity>/, one file for each kernel and set of
// constants. A file per kernel, so that threads and processes share without locks and each load reads only what it
// needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hal/drivers/vulkan/disk_cache.h"
#include "hal/drivers/vulkan/logical_device.h"

namespace plimsoll::hal::vulkan {

// A VkPipelineCache that knows its file.
class PipelineCacheFile {
 public:
  PipelineCacheFile(const LogicalDevice& device, const DiskCache& disk, std::string key);

  // Null when the device makes no caches: a pipeline can be made without.
  VkPipelineCache handle() const { return cache_.get(); }

  // Writes what the device learned since the file was read; nothing if it learned nothing.
  void save() const;

 private:
  const LogicalDevice& device_;
  const DiskCache& disk_;
  std::string key_;
  std::string loaded_;
  OwnedPipelineCache cache_;
};

class PipelineCacheFolder {
 public:
  explicit PipelineCacheFolder(const LogicalDevice& device);

  PipelineCacheFile open(std::span<const uint32_t> spirv, std::span<const uint32_t> constants) const;

 private:
  const LogicalDevice& device_;
  DiskCache disk_;
};

}  // namespace plimsoll::hal::vulkan
