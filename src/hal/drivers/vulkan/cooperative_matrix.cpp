#include "hal/drivers/vulkan/cooperative_matrix.h"

#include <optional>

namespace plimsoll::hal::vulkan {
namespace {

std::optional<CooperativeShape::Type> type_of(VkComponentTypeKHR component) {
  if (component == VK_COMPONENT_TYPE_FLOAT16_KHR) return CooperativeShape::Type::kFloat16;
  if (component == VK_COMPONENT_TYPE_FLOAT32_KHR) return CooperativeShape::Type::kFloat32;
  if (component == VK_COMPONENT_TYPE_BFLOAT16_KHR) return CooperativeShape::Type::kBfloat16;
  return std::nullopt;
}

std::optional<CooperativeShape> shape_of(const VkCooperativeMatrixPropertiesKHR& native) {
  const auto operands = type_of(native.AType), result = type_of(native.ResultType);
  if (!operands || !result || native.scope != VK_SCOPE_SUBGROUP_KHR) return std::nullopt;
  if (native.BType != native.AType || native.CType != native.ResultType) return std::nullopt;
  return CooperativeShape{native.MSize, native.NSize, native.KSize, *operands, *result};
}

}  // namespace

std::string cooperative_matrix_off(const PhysicalDevice& device, const Options& options) {
  if (options.cooperative == Options::Cooperative::kOff) return "PLIMSOLL_COOPMAT is off";
  if (options.validation && options.cooperative == Options::Cooperative::kAuto) return "validation is on";
  if (!device.has(kCooperativeMatrixExtension)) return "the driver lacks VK_KHR_cooperative_matrix";
  if (device.features.cooperative.cooperativeMatrix == VK_FALSE) return "the device lacks cooperativeMatrix";
  if (device.features.vulkan12.vulkanMemoryModel == VK_FALSE) return "the device lacks vulkanMemoryModel";
  if (cooperative_shapes(device).empty()) return "no shape of floating point at subgroup scope";
  return {};
}

std::vector<CooperativeShape> cooperative_shapes(const PhysicalDevice& device) {
  std::vector<CooperativeShape> shapes;
  for (const VkCooperativeMatrixPropertiesKHR& native : device.cooperative) {
    if (const auto shape = shape_of(native)) shapes.push_back(*shape);
  }
  return shapes;
}

}  // namespace plimsoll::hal::vulkan
