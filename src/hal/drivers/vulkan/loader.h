// The Vulkan loader, opened at run time: a program runs with or without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hal/drivers/vulkan/functions.h"

namespace plimsoll::hal::vulkan {

class Loader {
 public:
  // Opens the first of `names` that the system finds. Null with the reason in `why` when none opens.
  static std::shared_ptr<const Loader> open(const std::vector<std::string>& names, std::string& why);

  // The library stays mapped: drivers leave threads and thread-local data behind that outlive it.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  const GlobalFunctions& vk() const { return functions_; }

 private:
  explicit Loader(void* library) : library_(library) {}

  void* library_;
  GlobalFunctions functions_;
};

}  // namespace plimsoll::hal::vulkan
