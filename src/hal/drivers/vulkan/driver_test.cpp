#include "hal/drivers/vulkan/driver.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/test_device.h"

namespace plimsoll::hal::vulkan {
namespace {

// A variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(VulkanOptionsTest, ReadTheEnvironment) {
  const Variable validation("PLIMSOLL_VULKAN_VALIDATION", "1");
  const Variable cooperative("PLIMSOLL_COOPMAT", "on");
  const Options options = Options::from_environment();
  EXPECT_TRUE(options.validation);
  EXPECT_EQ(options.cooperative, Options::Cooperative::kOn);
}

TEST(VulkanOptionsTest, RefuseOtherValues) {
  const Variable cooperative("PLIMSOLL_COOPMAT", "maybe");
  EXPECT_THROW(Options::from_environment(), std::invalid_argument);
}

TEST(VulkanDriverTest, WithoutALoaderItSaysSo) {
  const auto driver = make_driver(Options{.loaders = {"libno_such_vulkan.so.1"}});
  EXPECT_STREQ(driver->name(), "vulkan");
  EXPECT_TRUE(driver->unavailable().starts_with("no Vulkan loader: libno_such_vulkan.so.1")) << driver->unavailable();
  EXPECT_TRUE(driver->candidates().empty());
  EXPECT_THROW(driver->open(size_t{0}), DeviceError);
  EXPECT_THROW(driver->open("h200"), DeviceError);
}

TEST(VulkanDriverTest, ALibraryThatIsNoLoaderIsNone) {
  const auto driver = make_driver(Options{.loaders = {"libc.so.6"}});
  EXPECT_EQ(driver->unavailable(),
            "the Vulkan loader libc.so.6 lacks vkGetInstanceProcAddr: it is older than Vulkan 1.1");
}

class VulkanDevicesTest : public VulkanTest {};

TEST_F(VulkanDevicesTest, TheInfoIsWhole) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.driver, "vulkan");
  EXPECT_FALSE(info.name.empty());
  EXPECT_NE(info.driver_version.find("Vulkan 1."), std::string::npos);
  EXPECT_TRUE(std::all_of(info.identity.begin(), info.identity.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  })) << info.identity;
  EXPECT_GT(info.memory_bytes, size_t{1} << 20);
  EXPECT_GE(info.max_groups, 65535U);
  EXPECT_GE(info.max_group_size, 128U);
  EXPECT_GE(info.shared_memory_bytes, 16384U);
  EXPECT_GE(info.subgroup_size, info.min_subgroup_size);
  EXPECT_LE(info.subgroup_size, info.max_subgroup_size);
  for (const Feature& feature : info.features) EXPECT_EQ(feature.on, feature.reason.empty()) << feature.name;
  EXPECT_EQ(info.kill_seconds == 0, info.type == DeviceType::kSoftware);
}

TEST_F(VulkanDevicesTest, SoftwareComesLastAndIsUnified) {
  bool software = false;
  for (const Candidate& candidate : driver_->candidates()) {
    EXPECT_TRUE(!software || candidate.info.type == DeviceType::kSoftware) << candidate.info.name;
    software = candidate.info.type == DeviceType::kSoftware;
    if (software) {
      EXPECT_TRUE(candidate.info.unified);
    }
  }
}

TEST_F(VulkanDevicesTest, AnIndexThatIsNoneIsRefused) { EXPECT_THROW(driver_->open(size_t{1000}), DeviceError); }

TEST_F(VulkanDevicesTest, SeveralOpeningsWorkAtOnceAndOutliveTheDriver) {
  std::vector<std::unique_ptr<hal::Device>> devices;
  const auto driver = make_driver();
  for (size_t i = 0; i < driver->candidates().size(); ++i) {
    if (!driver->candidates()[i].unusable.empty()) continue;
    for (int opening = 0; opening < 2; ++opening) devices.push_back(driver->open(i));
  }
  std::vector<std::unique_ptr<hal::CommandList>> lists;
  std::vector<Buffer> targets;
  for (const auto& device : devices) {
    Buffer target;
    ASSERT_EQ(device->allocate(4096, MemoryKind::kStaging, target), Status::kOk);
    targets.push_back(target);
    lists.push_back(device->new_command_list());
    lists.back()->fill(whole(target, AccessKind::kWrite), static_cast<uint32_t>(targets.size()));
    Ticket ticket = 0;
    ASSERT_EQ(device->queue().submit(*lists.back(), 0, ticket), Status::kOk);
    EXPECT_EQ(ticket, 1U);
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    ASSERT_EQ(devices[i]->queue().wait(1, std::chrono::steady_clock::now() + std::chrono::seconds(60)), Status::kOk);
    EXPECT_EQ(as<uint32_t>(targets[i])[1023], i + 1);
    devices[i]->release(targets[i]);
  }
  lists.clear();
}

// Runs with the validation layer on, whatever the environment says.
class VulkanValidationTest : public VulkanSourceTest {
 protected:
  Options options() const override {
    Options options = Options::from_environment();
    options.validation = true;
    return options;
  }
};

TEST_F(VulkanValidationTest, FindsNothingInOrdinaryWork) {
  const Buffer a = allocate(4096), b = allocate(4096, MemoryKind::kDevice), c = allocate(4096);
  const uint32_t scale = 2;
  const hal::Kernel& kernel = device_->kernel_from_source("add", kAddSource, std::span(&scale, 1));
  const auto list = device_->new_command_list();
  for (int round = 0; round < 2; ++round) {
    if (round > 0) list->reset();
    list->label("round");
    list->timestamp();
    list->fill(whole(a, AccessKind::kWrite), 1);
    list->barrier();
    list->copy(whole(a, AccessKind::kRead), whole(b, AccessKind::kWrite));
    list->barrier();
    list->dispatch(dispatch_of(kernel, AddParameters{0, 1024, a.address, b.address, c.address}, 16));
    list->timestamp();
    ASSERT_EQ(run(*list), Status::kOk);
    EXPECT_EQ(list->timestamps().size(), device_->info().has_timestamps ? 2U : 0U);
  }
  EXPECT_EQ(as<uint32_t>(c)[1023], 3U);
  EXPECT_EQ(validation_messages(*driver_), 0U);
}

TEST_F(VulkanValidationTest, CountsWhatIsWrong) {
  const Buffer buffer = allocate(4096);
  const auto list = device_->new_command_list();
  Access odd = whole(buffer, AccessKind::kWrite);
  odd.region.row_bytes = 6;  // fills are of whole words
  list->fill(odd, 1);
  EXPECT_EQ(validation_messages(*driver_), 1U);
  expected_messages_ = 1;
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
