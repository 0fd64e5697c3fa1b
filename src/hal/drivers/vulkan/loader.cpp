#include "hal/drivers/vulkan/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace plimsoll::hal::vulkan {

std::shared_ptr<const Loader> Loader::open(const std::vector<std::string>& names, std::string& why) {
  for (const std::string& name : names) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const char* error = dlerror();
      why += fmt::format("{}{}", why.empty() ? "no Vulkan loader: " : "; ", error != nullptr ? error : name);
      continue;
    }
    std::shared_ptr<Loader> loader(new Loader(library));
    const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    const char* missing = get == nullptr ? "vkGetInstanceProcAddr" : load_functions(get, loader->functions_);
    if (missing == nullptr) {
      why.clear();
      return loader;
    }
    why = fmt::format("the Vulkan loader {} lacks {}: it is older than Vulkan 1.1", name, missing);
  }
  return nullptr;
}

Loader::~Loader() { dlclose(library_); }

}  // namespace plimsoll::hal::vulkan
