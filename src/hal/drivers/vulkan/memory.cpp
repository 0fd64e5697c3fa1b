#include "hal/drivers/vulkan/memory.h"

#include <mutex>

#include "hal/drivers/vulkan/optional_features.h"

namespace plimsoll::hal::vulkan {
namespace {

constexpr float kUsualPriority = 0.5F;
constexpr float kResidentPriority = 1.0F;

// Fills and vector loads may touch whole words at a buffer's end.
constexpr size_t kSizeGranule = 16;

size_t round_up(size_t bytes, size_t granule) { return (bytes + granule - 1) / granule * granule; }

uint64_t to_handle(VkBuffer buffer) { return reinterpret_cast<uint64_t>(buffer); }
VkBuffer to_buffer(uint64_t handle) { return reinterpret_cast<VkBuffer>(handle); }

}  // namespace

Memory::Memory(const LogicalDevice& device) : device_(device) {}

Status Memory::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  const MemoryTypes& types = device_.probe().memory_types;
  const bool on_device = kind == MemoryKind::kDevice;
  return allocate({on_device ? types.device : types.staging, kind, !on_device || types.unified}, bytes, out);
}

Status Memory::allocate_upload(size_t bytes, Buffer& out) noexcept {
  return allocate({device_.probe().memory_types.upload, MemoryKind::kStaging, true}, bytes, out);
}

Status Memory::allocate(const Purpose& purpose, size_t bytes, Buffer& out) noexcept {
  return denied_without_memory([&] {
    if (device_.lost()) return Status::kLost;
    if (const Status status = within_caps(bytes); status != Status::kOk) return status;
    Allocation made;
    made.bytes = bytes;
    made.on_device = purpose.kind == MemoryKind::kDevice;
    Status status = create_buffer(round_up(bytes, kSizeGranule), false, made.buffer);
    if (status != Status::kOk) return status;
    VkMemoryRequirements needs{};
    device_.vk().GetBufferMemoryRequirements(device_.handle(), made.buffer.get(), &needs);
    status = allocate_memory(purpose.types, needs, made.memory);
    if (status != Status::kOk) return status;
    Buffer buffer;
    buffer.kind = purpose.kind;
    if (purpose.mapped) status = map(made.memory.get(), buffer.host);
    if (status == Status::kOk) status = bind(std::move(made), buffer);
    if (status == Status::kOk) out = buffer;
    return status;
  });
}

// Mapped until the memory is freed.
Status Memory::map(VkDeviceMemory memory, std::byte*& host) const {
  void* mapped = nullptr;
  const VkResult result = device_.vk().MapMemory(device_.handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result == VK_SUCCESS) host = static_cast<std::byte*>(mapped);
  return device_.note(result);
}

Status Memory::within_caps(size_t bytes) const {
  const DeviceInfo& info = device_.probe().info;
  if (bytes > info.max_buffer_bytes) return Status::kTooLarge;
  const std::shared_lock lock(mutex_);
  return allocations_.size() < info.max_allocations ? Status::kOk : Status::kTooMany;
}

Status Memory::create_buffer(size_t bytes, bool imported, OwnedBuffer& out) const {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = imported ? &external : nullptr;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkBuffer buffer = VK_NULL_HANDLE;
  const VkResult result = device_.vk().CreateBuffer(device_.handle(), &info, nullptr, &buffer);
  if (result == VK_SUCCESS) out = OwnedBuffer(device_, buffer);
  return device_.note(result);
}

// Takes the best of `types` that the buffer may lie in.
Status Memory::allocate_memory(const std::vector<uint32_t>& types, const VkMemoryRequirements& needs,
                               OwnedMemory& out) const {
  if (needs.size > device_.probe().physical.maintenance3.maxMemoryAllocationSize) return Status::kTooLarge;
  VkMemoryPriorityAllocateInfoEXT priority{};
  priority.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT;
  priority.priority = kUsualPriority;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = has_memory_priority(device_.probe().physical) ? &priority : nullptr;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  for (const uint32_t type : types) {
    if ((needs.memoryTypeBits >> type & 1) == 0) continue;
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.pNext = &flags;
    info.allocationSize = needs.size;
    info.memoryTypeIndex = type;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkResult result = device_.vk().AllocateMemory(device_.handle(), &info, nullptr, &memory);
    if (result == VK_SUCCESS) out = OwnedMemory(device_, memory);
    return device_.note(result);
  }
  return Status::kDenied;
}

Status Memory::bind(Allocation made, Buffer& out) {
  const VkBuffer buffer = made.buffer.get();
  const VkResult result = device_.vk().BindBufferMemory(device_.handle(), buffer, made.memory.get(), 0);
  if (result != VK_SUCCESS) return device_.note(result);
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  out.address = device_.vk().GetBufferDeviceAddress(device_.handle(), &info);
  out.bytes = made.bytes;
  out.handle = to_handle(buffer);
  const size_t counted = made.on_device ? made.bytes : 0;
  {
    const std::unique_lock lock(mutex_);
    allocations_.emplace(Key(out.address, buffer), std::move(made));
  }
  device_bytes_.fetch_add(counted, std::memory_order_relaxed);
  return Status::kOk;
}

void Memory::release(const Buffer& buffer) noexcept {
  decltype(allocations_)::node_type node;
  {
    const std::unique_lock lock(mutex_);
    node = allocations_.extract(Key(buffer.address, to_buffer(buffer.handle)));
  }
  if (!node.empty() && node.mapped().on_device) {
    device_bytes_.fetch_sub(node.mapped().bytes, std::memory_order_relaxed);
  }
}

Memory::Place Memory::find(uint64_t address) const noexcept {
  const std::shared_lock lock(mutex_);
  // The first buffer below contains it, except where imports overlap.
  auto next = allocations_.upper_bound(Key(address + 1, VK_NULL_HANDLE));
  while (next != allocations_.begin()) {
    --next;
    const uint64_t base = next->first.first;
    if (base <= address && address - base < next->second.bytes) return {next->first.second, address - base};
  }
  return {};
}

MemoryBudget Memory::budget() const noexcept {
  const PhysicalDevice& physical = device_.probe().physical;
  const uint32_t heap = device_.probe().memory_types.device_heap;
  if (!has_memory_budget(physical)) {
    return {physical.memory.memoryHeaps[heap].size, device_bytes_.load(std::memory_order_relaxed)};
  }
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  memory.pNext = &budget;
  device_.instance().vk().GetPhysicalDeviceMemoryProperties2(physical.handle, &memory);
  return {budget.heapBudget[heap], budget.heapUsage[heap]};
}

bool Memory::set_resident(const Buffer& buffer, bool resident) noexcept {
  if (!can_wire()) return false;
  const std::shared_lock lock(mutex_);
  const auto found = allocations_.find(Key(buffer.address, to_buffer(buffer.handle)));
  if (found == allocations_.end()) return false;
  device_.vk().SetDeviceMemoryPriorityEXT(device_.handle(), found->second.memory.get(),
                                          resident ? kResidentPriority : kUsualPriority);
  return true;
}

}  // namespace plimsoll::hal::vulkan
