// Kernels: parameter blocks of every size reach them, every workgroup runs once, constants and barriers hold.
#include <algorithm>
#include <array>

#include "plimsoll/errors.h"
#include "hal/conformance/subject.h"

namespace plimsoll::hal::conformance {
namespace {

constexpr const char* kHead = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint values[]; };
)";

// Writes the index of each workgroup, plus one, plus a constant, to the word of that index.
constexpr const char* kCount = R"(
layout(constant_id = 0) const uint plus = 1;
layout(push_constant) uniform Parameters { uint first_group; uint stride; Words to; } p;
void main() {
  uint group = gl_WorkGroupID.x + p.first_group;
  p.to.values[group * p.stride] += group + plus;
}
)";

struct CountParameters {
  uint32_t first_group = 0;
  uint32_t stride = 1;
  uint64_t to = 0;
};

// 8 bytes of parameters: no room for a whole address and a first workgroup, so the kernel runs without touching memory.
constexpr const char* kSmall = R"(
layout(push_constant) uniform Parameters { uint first_group; uint nothing; } p;
void main() { }
)";

// 128 bytes: copies each word behind the pointer to where that points.
constexpr const char* kDirect = R"(
layout(push_constant) uniform Parameters { uint first_group; uint pad; Words to; uint values[28]; } p;
void main() {
  for (uint i = 0; i < 28; ++i) p.to.values[i] = p.values[i];
}
)";

// 1000 bytes, which arrive by address.
constexpr const char* kLarge = R"(
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer ParameterBlock {
  uint first_group; uint pad; Words to; uint values[246];
};
layout(push_constant) uniform ParameterPointer { ParameterBlock p; };
void main() {
  for (uint i = 0; i < 246; ++i) p.to.values[i] = p.values[i];
}
)";

template <size_t kWords>
struct ListParameters {
  uint32_t first_group = 0;
  uint32_t pad = 0;
  uint64_t to = 0;
  std::array<uint32_t, kWords> values;

  ListParameters(uint64_t address, uint32_t base) : to(address) {
    for (size_t i = 0; i < kWords; ++i) values[i] = base + 3 * static_cast<uint32_t>(i);
  }
};
static_assert(sizeof(ListParameters<28>) == kDirectParameterBytes);
static_assert(sizeof(ListParameters<246>) == 1000);

class KernelConformance : public Conformance {
 protected:
  const Kernel& make(const char* name, const char* body, std::span<const uint32_t> constants = {}) {
    return device_->kernel_from_source(name, std::string(kHead) + body, constants);
  }

  template <typename Parameters>
  void dispatch(CommandList& list, const Kernel& kernel, const Parameters& parameters, uint32_t groups,
                const Buffer& to) {
    const Access accesses[] = {bytes_of(to, 0, to.bytes, AccessKind::kReadWrite)};
    Dispatch dispatch;
    dispatch.kernel = &kernel;
    dispatch.parameters = std::as_bytes(std::span(&parameters, 1));
    dispatch.groups = groups;
    dispatch.accesses = accesses;
    dispatch.label = "conformance";
    list.dispatch(dispatch);
  }

  Buffer blank(size_t bytes) {
    const Buffer buffer = staging(bytes);
    std::memset(buffer.host, 0, bytes);
    return buffer;
  }
};

TEST_P(KernelConformance, KeepsKernelsAndNames) {
  const uint32_t constants[] = {1, 2};
  const Kernel& plain = make("count", kCount);
  EXPECT_STREQ(plain.name(), "count");
  EXPECT_EQ(&make("count", kCount), &plain);
  EXPECT_NE(&make("count", kCount, std::span(constants, 1)), &plain);
  EXPECT_EQ(&make("count", kCount, std::span(constants, 1)), &make("count", kCount, std::span(constants, 1)));
}

TEST_P(KernelConformance, AcceptsDispatches) {
  const Buffer to = blank(400);
  const Kernel& kernel = make("count", kCount);
  const auto list = device_->new_command_list();
  for (uint32_t i = 0; i < 10; ++i) {
    dispatch(*list, kernel, CountParameters{0, 1, to.address}, 10, to);
    list->barrier();
  }
  run(*list);
}

TEST_P(KernelConformance, RunsEveryWorkgroupOnce) {
  const uint32_t groups = std::min(device_->info().max_groups, 200'000u);
  const Buffer to = blank(4 * size_t{groups});
  const auto list = device_->new_command_list();
  dispatch(*list, make("count", kCount), CountParameters{0, 1, to.address}, groups, to);
  run(*list);
  for (uint32_t i = 0; i < groups; ++i) ASSERT_EQ(word(to, i), i + 1);
}

TEST_P(KernelConformance, StartsAtItsFirstWorkgroup) {
  const Buffer to = blank(4 * 100);
  const Kernel& kernel = make("count", kCount);
  const auto list = device_->new_command_list();
  dispatch(*list, kernel, CountParameters{0, 1, to.address}, 37, to);
  dispatch(*list, kernel, CountParameters{37, 1, to.address}, 13, to);
  dispatch(*list, kernel, CountParameters{50, 1, to.address}, 50, to);
  run(*list);
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(word(to, i), i + 1) << "a cut dispatch equals the whole";
}

TEST_P(KernelConformance, SetsConstants) {
  const Buffer to = blank(64);
  const uint32_t plus[] = {1000};
  const auto list = device_->new_command_list();
  dispatch(*list, make("count", kCount, plus), CountParameters{0, 1, to.address}, 4, to);
  run(*list);
  EXPECT_EQ(word(to, 3), 1003u);
}

TEST_P(KernelConformance, OrdersDispatchesByBarrier) {
  const Buffer to = blank(64);
  const Kernel& kernel = make("count", kCount);
  const auto list = device_->new_command_list();
  for (uint32_t i = 0; i < 200; ++i) {
    dispatch(*list, kernel, CountParameters{4, 1, to.address}, 1, to);
    list->barrier();
  }
  run(*list);
  EXPECT_EQ(word(to, 4), 1000u) << "each adds five to what the one before left";
}

TEST_P(KernelConformance, ReadsSmallParameters) {
  struct {
    uint32_t first_group = 0, nothing = 1;
  } const parameters;
  const Buffer to = blank(64);
  const auto list = device_->new_command_list();
  dispatch(*list, make("small", kSmall), parameters, 3, to);
  list->fill(write_of(to, 0, 4), 5);
  run(*list);
  EXPECT_EQ(word(to, 0), 5u);
}

TEST_P(KernelConformance, ReadsDirectParameters) {
  const Buffer to = blank(4 * 28);
  const ListParameters<28> parameters(to.address, 100);
  const auto list = device_->new_command_list();
  dispatch(*list, make("direct", kDirect), parameters, 1, to);
  run(*list);
  for (size_t i = 0; i < 28; ++i) ASSERT_EQ(word(to, i), 100 + 3 * i);
}

TEST_P(KernelConformance, ReadsLargeParameters) {
  const Buffer to = blank(4 * 246);
  const auto list = device_->new_command_list();
  {
    const ListParameters<246> parameters(to.address, 7);
    dispatch(*list, make("large", kLarge), parameters, 1, to);
  }
  run(*list);
  for (size_t i = 0; i < 246; ++i) ASSERT_EQ(word(to, i), 7 + 3 * i);
}

TEST_P(KernelConformance, KeepsLargeParametersApart) {
  constexpr uint32_t kDispatches = 300;
  const size_t each = 4 * 246;
  const Buffer to = blank(kDispatches * each);
  const Kernel& kernel = make("large", kLarge);
  const auto list = device_->new_command_list();
  for (int round = 0; round < 2; ++round) {
    list->reset();
    std::memset(to.host, 0, to.bytes);
    for (uint32_t i = 0; i < kDispatches; ++i) {
      dispatch(*list, kernel, ListParameters<246>(to.address + i * each, i * 1000), 1, to);
    }
    run(*list);
    for (uint32_t i = 0; i < kDispatches; ++i) {
      ASSERT_EQ(word(to, i * 246), i * 1000) << "dispatch " << i;
      ASSERT_EQ(word(to, i * 246 + 245), i * 1000 + 735) << "dispatch " << i;
    }
  }
}

TEST_P(KernelConformance, NamesWhatDoesNotCompile) {
  try {
    make("broken", "void main() { undeclared = 1; }");
    FAIL() << "compiled";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("[broken]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
  }
}

}  // namespace

PLIMSOLL_CONFORMANCE(KernelConformance);

}  // namespace plimsoll::hal::conformance
