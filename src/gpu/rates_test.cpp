#include "gpu/rates.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "hal/drivers/null/kernels.h"

namespace plimsoll::gpu {
namespace {

// Of 1 second an operation, 1 second a byte's tenth; a dispatch costs nothing by itself.
constexpr RateTable::Ideal kIdeal{10, 1, 0};

const hal::null::Kernel kMatmul("matmul");
const hal::null::Kernel kAdd("add");

TEST(RateTable, StartsAtTheFloorWithHalfTheRate) {
  const RateTable rates(kIdeal);
  EXPECT_DOUBLE_EQ(rates.project(kMatmul, {.operations = 3}), 3 * RateTable::kFloorSlowness / RateTable::kSafety);
  EXPECT_DOUBLE_EQ(rates.project(kMatmul, {.bytes = 20}), 2 * RateTable::kFloorSlowness / RateTable::kSafety);
  EXPECT_DOUBLE_EQ(rates.project(kMatmul, {.operations = 3, .bytes = 20}), rates.project(kMatmul, {.operations = 3}));
}

TEST(RateTable, ChargesShortWorkAFixedCostAndItsBytes) {
  const RateTable rates({10, 1, 0.001});
  const hal::Cost cost{.operations = 1e-6, .bytes = 1e-4};
  EXPECT_FALSE(rates.is_measurable(kAdd, cost));
  EXPECT_DOUBLE_EQ(rates.project(kAdd, cost), (0.001 + 1e-5) / RateTable::kSafety);
}

TEST(RateTable, BelievesBetterNewsByAFactorOfTwoASubmission) {
  RateTable rates(kIdeal);
  const hal::Cost cost{.operations = 1};
  double expected = RateTable::kFloorSlowness;
  for (uint64_t submission = 1; submission <= 10; ++submission) {
    expected = std::max(expected / 2, 1.5);
    rates.learn(kMatmul, cost, 1.5, submission);
    rates.learn(kMatmul, cost, 1.5, submission);
    EXPECT_DOUBLE_EQ(rates.slowness("matmul"), expected);
  }
  EXPECT_DOUBLE_EQ(rates.project(kMatmul, cost), 1.5 / RateTable::kSafety);
  EXPECT_DOUBLE_EQ(rates.slowness("add"), RateTable::kFloorSlowness) << "each kernel has its own rate";
}

TEST(RateTable, BelievesWorseNewsAtOnce) {
  RateTable rates(kIdeal);
  rates.learn(kMatmul, {.operations = 1}, 100, 1);
  EXPECT_DOUBLE_EQ(rates.slowness("matmul"), 100);
}

TEST(RateTable, OfASubmissionTheWorstCounts) {
  RateTable rates(kIdeal);
  const hal::Cost cost{.operations = 1};
  rates.learn(kMatmul, cost, 12, 1);
  rates.learn(kMatmul, cost, 10, 1);
  EXPECT_DOUBLE_EQ(rates.slowness("matmul"), 12);
  rates.learn(kMatmul, cost, 14, 1);
  EXPECT_DOUBLE_EQ(rates.slowness("matmul"), 14);
}

TEST(RateTable, WorkOfASlowKernelIsNeverTooShortToCharge) {
  RateTable rates(kIdeal);
  rates.learn(kMatmul, {.operations = 1}, 1e4, 1);
  const hal::Cost tiny{.operations = 1e-5};
  EXPECT_TRUE(rates.is_measurable(kMatmul, tiny));
  EXPECT_FALSE(rates.is_measurable(kAdd, tiny));
  EXPECT_DOUBLE_EQ(rates.project(kMatmul, tiny), 0.1 / RateTable::kSafety);
}

TEST(RateTable, LearnsNothingFromWhatIsTooShortOrNoTime) {
  RateTable rates(kIdeal);
  rates.learn(kMatmul, {.operations = 1e-6}, 1, 1);
  rates.learn(kMatmul, {.operations = 1}, std::numeric_limits<double>::infinity(), 1);
  rates.learn(kMatmul, {.operations = 1}, std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_DOUBLE_EQ(rates.slowness("matmul"), RateTable::kFloorSlowness);
}

class RateFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) {
    std::filesystem::create_directories(folder_ / "rates");
    std::ofstream(path()) << text;
  }
  std::string path() const { return (folder_ / "rates" / "device.json").string(); }

  // The slowness of "matmul" after a load of such a file.
  double loaded(const std::string& text) {
    write(text);
    RateTable rates(kIdeal);
    rates.load(path());
    return rates.slowness("matmul");
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("plimsoll_rates_" + std::to_string(getpid()));
};

TEST_F(RateFile, KeepsWhatWasLearned) {
  RateTable rates(kIdeal);
  rates.load(path());  // not there
  rates.save(path());
  EXPECT_FALSE(std::filesystem::exists(path())) << "nothing was learned";
  rates.learn(kMatmul, {.operations = 1}, 9.25, 1);
  rates.learn(kAdd, {.operations = 1}, 40, 1);
  rates.save(path());
  RateTable later(kIdeal);
  later.load(path());
  EXPECT_DOUBLE_EQ(later.slowness("matmul"), 9.25);
  EXPECT_DOUBLE_EQ(later.slowness("add"), 40);
}

TEST_F(RateFile, ThatIsNoneCountsForNothing) {
  EXPECT_DOUBLE_EQ(loaded("{\"matmul\": 3}"), 3);
  for (const char* corrupt : {"", "{", "[1, 2]", "{\"matmul\": \"fast\"}", "{\"matmul\": -1}", "{\"matmul\": 0}",
                              "{\"matmul\": 1e999}", "\xff\xfe", "{\"matmul\": null}"}) {
    EXPECT_DOUBLE_EQ(loaded(corrupt), RateTable::kFloorSlowness) << corrupt;
  }
}

}  // namespace
}  // namespace plimsoll::gpu
