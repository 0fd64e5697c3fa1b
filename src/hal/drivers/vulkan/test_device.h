// What the driver's tests share: a Vulkan device, or a skip that names what is missing.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hal/drivers/vulkan/driver.h"

namespace plimsoll::hal::vulkan {

// A folder of this process for caches, which PLIMSOLL_HOME names while it lives.
class TestHome {
 public:
  TestHome() : folder_(std::filesystem::temp_directory_path() / ("plimsoll_vulkan_" + std::to_string(getpid()))) {
    setenv("PLIMSOLL_HOME", folder_.c_str(), 1);
  }
  ~TestHome() {
    unsetenv("PLIMSOLL_HOME");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestHome(const TestHome&) = delete;
  TestHome& operator=(const TestHome&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// Opens the first usable device; a test of a machine without one is skipped.
class VulkanTest : public testing::Test {
 protected:
  // Overridden to change how the driver is made.
  virtual Options options() const { return Options::from_environment(); }

  void SetUp() override {
    driver_ = make_driver(options());
    const std::string why = driver_->unavailable();
    if (!why.empty()) GTEST_SKIP() << "no Vulkan device: " << why;
    const std::vector<Candidate> found = driver_->candidates();
    for (size_t i = 0; i < found.size() && device_ == nullptr; ++i) {
      if (found[i].unusable.empty()) device_ = driver_->open(i);
    }
    if (device_ == nullptr) GTEST_SKIP() << "no usable Vulkan device: " << found[0].unusable;
  }

  void TearDown() override {
    for (const Buffer& buffer : buffers_) device_->release(buffer);
    device_.reset();
    // Under PLIMSOLL_VULKAN_VALIDATION every test also checks how Vulkan is used.
    EXPECT_EQ(validation_messages(*driver_), expected_messages_);
  }

  // Released at the end of the test.
  Buffer allocate(size_t bytes, MemoryKind kind = MemoryKind::kStaging) {
    Buffer buffer;
    EXPECT_EQ(device_->allocate(bytes, kind, buffer), Status::kOk);
    buffers_.push_back(buffer);
    return buffer;
  }

  static Access whole(const Buffer& buffer, AccessKind kind) {
    return {.region = {.address = buffer.address, .row_bytes = buffer.bytes, .row_stride = buffer.bytes, .rows = 1},
            .kind = kind,
            .home = buffer.address};
  }

  // Submits behind everything before and waits for it.
  Status run(hal::CommandList& list) {
    Ticket ticket = 0;
    const Status status = device_->queue().submit(list, last_, ticket);
    if (status != Status::kOk) return status;
    last_ = ticket;
    return device_->queue().wait(ticket, std::chrono::steady_clock::now() + std::chrono::seconds(60));
  }

  template <typename T>
  static T* as(const Buffer& buffer) {
    return reinterpret_cast<T*>(buffer.host);
  }

  TestHome home_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<hal::Device> device_;
  std::vector<Buffer> buffers_;
  Ticket last_ = 0;
  uint64_t expected_messages_ = 0;
};

// The same for tests that compile kernels.
class VulkanSourceTest : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (device_ == nullptr) return;
    for (const Feature& feature : device_->info().features) {
      if (feature.name == "kernels from source" && !feature.on) GTEST_SKIP() << "no kernels: " << feature.reason;
    }
  }
};

// c[i] = a[i] + b[i] * scale, 64 elements a workgroup. `scale` is specialization constant 0.
inline constexpr const char* kAddSource = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint scale = 1;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint values[]; };
layout(push_constant) uniform Parameters { uint first_group; uint count; Words a; Words b; Words c; } p;
void main() {
  uint i = (gl_WorkGroupID.x + p.first_group) * 64 + gl_LocalInvocationID.x;
  if (i < p.count) p.c.values[i] = p.a.values[i] + p.b.values[i] * scale;
}
)";

struct AddParameters {
  uint32_t first_group;
  uint32_t count;
  uint64_t a, b, c;
};

template <typename Parameters>
Dispatch dispatch_of(const hal::Kernel& kernel, const Parameters& parameters, uint32_t groups) {
  return {.kernel = &kernel,
          .parameters = std::as_bytes(std::span(&parameters, 1)),
          .groups = groups,
          .accesses = {},
          .cost = {},
          .label = "test"};
}

}  // namespace plimsoll::hal::vulkan
