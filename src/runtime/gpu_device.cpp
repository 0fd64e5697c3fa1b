#include "runtime/gpu_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "memory/device_source.h"

namespace plimsoll::runtime {
namespace {

constexpr int64_t kPatience = 10;           // seconds
constexpr int64_t kSoftwarePatience = 120;  // a software device compiles kernels when they first run
constexpr double kPatienceOfProjected = 8;  // times the longest projected command buffer in flight
constexpr int64_t kMaxPatience = 24 * 3600;

hal::Buffer allocate_canaries(hal::Device& device, const std::string& name) {
  hal::Buffer canaries;
  const hal::Status status =
      device.allocate(gpu::Encoder::kCanarySlots * sizeof(uint32_t), hal::MemoryKind::kStaging, canaries);
  if (status != hal::Status::kOk) {
    throw DeviceError(fmt::format("[{}] the device refused its first {} bytes of staging memory: {}", name,
                                  gpu::Encoder::kCanarySlots * sizeof(uint32_t), hal::to_string(status)));
  }
  std::memset(canaries.host, 0, canaries.bytes);
  return canaries;
}

gpu::TimeBudget budget_of(const hal::DeviceInfo& info) {
  gpu::TimeBudget budget = gpu::choose_budget(info);
  if (const auto text = base::env_string("PLIMSOLL_BUFFER_SECONDS")) {
    const double seconds = std::strtod(text->c_str(), nullptr);
    if (!(seconds > 0))
      throw std::invalid_argument("[PLIMSOLL_BUFFER_SECONDS] expected seconds above 0, found '" + *text + "'");
    budget.seconds = seconds;
  }
  return budget;
}

double choose_patience(const hal::DeviceInfo& info) {
  const int64_t usual = info.type == hal::DeviceType::kSoftware ? kSoftwarePatience : kPatience;
  return static_cast<double>(base::env_int("PLIMSOLL_DEVICE_TIMEOUT", 1, kMaxPatience).value_or(usual));
}

}  // namespace

GpuDevice::GpuDevice(std::unique_ptr<hal::Device> device, std::string name, TicketBoard& board,
                     const memory::Limits& limits, const memory::Limits& staging_limits)
    : device_(std::move(device)),
      name_(std::move(name)),
      board_(board),
      stream_(board.add_stream()),
      residency_(std::make_shared<memory::Residency>(*device_, board)),
      pool_(std::make_shared<memory::Pool>(
          std::make_unique<memory::DeviceSource>(*device_, hal::MemoryKind::kDevice, residency_), limits, board)),
      staging_(device_->info().unified ? pool_
                                       : std::make_shared<memory::Pool>(std::make_unique<memory::DeviceSource>(
                                                                            *device_, hal::MemoryKind::kStaging),
                                                                        staging_limits, board)),
      canaries_(allocate_canaries(*device_, name_)),
      encoder_(std::make_unique<gpu::Encoder>(device_->info(), *this, gpu::make_policy_from_environment(),
                                              budget_of(device_->info()), canaries_)),
      kernels_(*device_),
      rates_path_((base::plimsoll_home() / "rates" / (device_->info().identity + ".json")).string()),
      patience_(choose_patience(device_->info())) {
  encoder_->rates().load(rates_path_);
  retirer_ = std::thread([this] { retire_loop(); });
  holder_ = std::thread([this] { hold_loop(); });
}

GpuDevice::~GpuDevice() {
  join();
  device_->release(canaries_);
}

void GpuDevice::throw_lost(const char* doing) const {
  const std::lock_guard lock(mutex_);
  throw DeviceError(fmt::format("[{}] {} was lost ({}): what lived on it is gone", doing, name_, why_lost_));
}

void GpuDevice::catch_up() {
  std::vector<Sample> samples;
  uint64_t retired = 0;
  {
    const std::lock_guard lock(mutex_);
    samples.swap(samples_);
    retired = retired_;
  }
  encoder_->retire(retired);
  residency_->settle();
  for (const Sample& sample : samples) {
    encoder_->rates().learn(*sample.kernel, sample.cost, sample.seconds, sample.sequence);
  }
}

memory::Use GpuDevice::last() const {
  const std::lock_guard lock(mutex_);
  return {stream_, submitted_};
}

bool GpuDevice::is_idle() const {
  const std::lock_guard lock(mutex_);
  return retired_ == submitted_ || (held_.empty() && device_->queue().done(submitted_));
}

std::unique_ptr<hal::CommandList> GpuDevice::take_list() {
  {
    const std::lock_guard lock(mutex_);
    if (!lists_.empty()) {
      std::unique_ptr<hal::CommandList> list = std::move(lists_.back());
      lists_.pop_back();
      return list;
    }
  }
  return device_->new_command_list();
}

void GpuDevice::submit(std::unique_ptr<gpu::CommandBuffer> buffer) {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return in_flight_.size() + held_.size() < kMaxInFlight; });
  submitted_ = buffer->sequence;
  residency_->touch_all({stream_, submitted_});
  if (held_.empty() && !sending_held_ && can_send(*buffer)) {
    send(std::move(buffer), lock);
  } else {
    held_.push_back(std::move(buffer));
  }
  changed_.notify_all();
}

bool GpuDevice::can_send(const gpu::CommandBuffer& buffer) const {
  return std::all_of(buffer.host_waits.begin(), buffer.host_waits.end(),
                     [&](memory::Use use) { return board_.done(use); });
}

// A refusal for want of memory is tried again while work in flight may free some.
void GpuDevice::send(Entry buffer, Lock& lock) {
  hal::Ticket ticket = 0;
  hal::Status status = hal::Status::kLost;
  while (!is_lost()) {
    status = device_->queue().submit(*buffer->list, buffer->after, ticket);
    if (status != hal::Status::kDenied || in_flight_.empty()) break;
    changed_.wait(lock);
  }
  if (status != hal::Status::kOk && !is_lost()) {
    why_lost_ = fmt::format("it refused a command buffer: {}", hal::to_string(status));
    lost_.store(true, std::memory_order_release);
  }
  in_flight_.push_back(std::move(buffer));
}

void GpuDevice::hold_loop() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !held_.empty(); });
    if (held_.empty()) return;
    Entry buffer = std::move(held_.front());
    held_.pop_front();
    sending_held_ = true;
    lock.unlock();
    for (const memory::Use& use : buffer->host_waits) board_.wait(use);
    lock.lock();
    send(std::move(buffer), lock);
    sending_held_ = false;
    changed_.notify_all();
  }
}

void GpuDevice::retire_loop() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !in_flight_.empty() || (ending_ && held_.empty() && !sending_held_); });
    if (in_flight_.empty()) return;
    gpu::CommandBuffer& buffer = *in_flight_.front();
    lock.unlock();
    const std::exception_ptr failure = judge(buffer);
    if (!is_lost()) buffer.list->reset();
    board_.complete({stream_, buffer.sequence}, failure);
    lock.lock();
    retired_ = buffer.sequence;
    if (is_lost()) {
      // The device may still be at it: the list is never touched again.
      [[maybe_unused]] const hal::CommandList* const kept = buffer.list.release();
    } else {
      lists_.push_back(std::move(buffer.list));
    }
    in_flight_.pop_front();
    changed_.notify_all();
  }
}

std::exception_ptr GpuDevice::judge(const gpu::CommandBuffer& buffer) {
  const auto device_error = [&](const std::string& what) {
    return std::make_exception_ptr(DeviceError(fmt::format("[{}] {}", name_, what)));
  };
  if (!wait_done(buffer)) {
    const std::lock_guard lock(mutex_);
    return device_error(fmt::format("the device was lost: {}", why_lost_));
  }
  if (!canary_is_right(buffer)) {
    healthy_.store(false, std::memory_order_release);
    return device_error(fmt::format(
        "command buffer {} was reported done, but its work was not: the device dropped its writes", buffer.sequence));
  }
  learn(buffer);
  if (buffer.continues != 0) {
    if (std::exception_ptr failed = board_.failure({stream_, buffer.continues})) return failed;
  }
  return board_.first_failure(buffer.depends);
}

bool GpuDevice::wait_done(const gpu::CommandBuffer& buffer) {
  if (is_lost()) return false;
  double longest = buffer.projected;
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : in_flight_) longest = std::max(longest, entry->projected);
  }
  const double patience = std::max(patience_, kPatienceOfProjected * longest);
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(std::min(patience, static_cast<double>(kMaxPatience))));
  switch (device_->queue().wait(buffer.sequence, deadline)) {
    case hal::Status::kOk:
      return true;
    case hal::Status::kTimedOut:
      lose(fmt::format("nothing ended within {:.0f} s", patience));
      return false;
    default:
      lose("its driver says so");
      return false;
  }
}

void GpuDevice::lose(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (is_lost()) return;
  why_lost_ = why;
  lost_.store(true, std::memory_order_release);
}

bool GpuDevice::canary_is_right(const gpu::CommandBuffer& buffer) const {
  uint32_t word = 0;
  std::memcpy(&word, canaries_.host + (buffer.sequence % gpu::Encoder::kCanarySlots) * sizeof(word), sizeof(word));
  return word == buffer.canary;
}

void GpuDevice::learn(const gpu::CommandBuffer& buffer) {
  if (buffer.timed.empty()) return;
  const std::vector<uint64_t> times = buffer.list->timestamps();
  const std::lock_guard lock(mutex_);
  for (const gpu::TimedWork& work : buffer.timed) {
    const double seconds = static_cast<double>(times[work.end] - times[work.begin]) * 1e-9;
    samples_.push_back({work.kernel, work.cost, seconds, buffer.sequence});
  }
}

void GpuDevice::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (holder_.joinable()) holder_.join();
  changed_.notify_all();
  if (retirer_.joinable()) retirer_.join();
  catch_up();
  try {
    encoder_->rates().save(rates_path_);
  } catch (const std::exception& error) {
    base::log_warning(error.what());
  }
}

}  // namespace plimsoll::runtime
