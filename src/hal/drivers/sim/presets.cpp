#include "hal/drivers/sim/presets.h"

#include <algorithm>
#include <string>

namespace plimsoll::hal::sim {
namespace {

constexpr size_t kGiB = size_t{1} << 30;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMicro = 1e-6;

using Type = CooperativeShape::Type;

Machine machine(const char* name) {
  Machine machine;
  machine.info.name = name;
  machine.info.driver = "sim";
  machine.info.driver_version = "1";
  machine.info.identity = std::string("sim-") + name;
  machine.info.type = DeviceType::kSimulated;
  machine.info.makes_values = false;
  machine.info.buffer_alignment = 64 << 10;
  machine.info.max_group_size = 1024;
  machine.info.shared_memory_bytes = 32 << 10;
  machine.info.subgroup_size = machine.info.min_subgroup_size = machine.info.max_subgroup_size = 32;
  machine.info.has_half_math = true;
  machine.info.has_timestamps = true;
  machine.engines = 2;
  return machine;
}

// Host and device share `bytes` of memory: what leaves it goes to a disk of `disk` bytes per second.
void share_memory(Machine& machine, size_t bytes, double bandwidth, double disk) {
  machine.info.unified = true;
  machine.info.memory_bytes = bytes;
  machine.bytes_per_second = bandwidth;
  machine.paging_bytes = bytes <= 32 * kGiB ? std::max(bytes - 4 * kGiB, bytes / 2) : bytes - bytes / 20 - 2 * kGiB;
  machine.paging_bytes_per_second = disk;
  machine.imports = true;
}

// A card with memory of its own: what does not fit is refused or, under pressure of others, moves over the bus.
void own_memory(Machine& machine, size_t bytes, double bandwidth, double bus) {
  machine.info.memory_bytes = bytes;
  machine.working_set_bytes = bytes - bytes / 10;
  machine.bytes_per_second = bandwidth;
  machine.paging_bytes = machine.working_set_bytes;
  machine.paging_bytes_per_second = bus;
}

// Apple's: two thirds of a small memory, three quarters of a large one, may be the working set; the display's
// interactivity kills from one second on.
Machine apple(const char* name, size_t bytes, double bandwidth, double operations, uint32_t cores) {
  Machine machine = sim::machine(name);
  share_memory(machine, bytes, bandwidth, 4 * kGiga);
  machine.working_set_bytes = bytes <= 36 * kGiB ? bytes / 3 * 2 : bytes / 4 * 3;
  machine.info.max_buffer_bytes = machine.working_set_bytes / 4 * 3;
  machine.info.compute_units = cores;
  machine.info.kill_seconds = 1.0;
  machine.info.cooperative_shapes = {{8, 8, 8, Type::kFloat16, Type::kFloat32}};
  machine.operations_per_second = operations;
  // The reference's attention ran 0.55 T operations in 0.186 s on an M1 Max of 10.4 T a second: 0.29 of its peak.
  machine.rates = {{"attention", 0.29 * operations}, {"matmul", 0.75 * operations}, {"quantized", 0.6 * operations}};
  machine.dispatch_seconds = 2 * kMicro;
  machine.barrier_seconds = 2 * kMicro;
  machine.list_seconds = 25 * kMicro;
  machine.wires = true;
  return machine;
}

Machine laptop() {
  Machine machine = sim::machine("laptop-8");
  share_memory(machine, 8 * kGiB, 45 * kGiga, 1.5 * kGiga);
  machine.working_set_bytes = 4 * kGiB;
  machine.info.max_buffer_bytes = 4 * kGiB - 1;
  machine.info.max_allocations = 4096;
  machine.info.compute_units = 80;
  machine.info.kill_seconds = 2.0;
  machine.operations_per_second = 1.4 * kTera;
  machine.rates = {{"attention", 0.4 * kTera}, {"matmul", 0.8 * kTera}, {"quantized", 0.6 * kTera}};
  machine.dispatch_seconds = 4 * kMicro;
  machine.barrier_seconds = 5 * kMicro;
  machine.list_seconds = 60 * kMicro;
  machine.engines = 1;
  return machine;
}

Machine nvidia(const char* name, size_t bytes, double bandwidth, double bus) {
  Machine machine = sim::machine(name);
  own_memory(machine, bytes, bandwidth, bus);
  machine.info.shared_memory_bytes = 48 << 10;
  machine.info.max_allocations = 4096;
  machine.info.has_float64 = machine.info.has_int64_atomics = machine.info.has_float_atomics = true;
  machine.info.cooperative_shapes = {{16, 16, 16, Type::kFloat16, Type::kFloat32},
                                     {16, 16, 16, Type::kBfloat16, Type::kFloat32}};
  machine.dispatch_seconds = 0.18 * kMicro;
  machine.barrier_seconds = 1.9 * kMicro;
  machine.list_seconds = 56 * kMicro;
  return machine;
}

Machine rtx4090() {
  Machine machine = nvidia("rtx4090-24", 24 * kGiB, 0.9 * kTera, 22 * kGiga);
  machine.info.compute_units = 128;
  machine.info.kill_seconds = 2.0;
  machine.operations_per_second = 60 * kTera;
  machine.rates = {{"attention", 70 * kTera}, {"matmul", 120 * kTera}, {"quantized", 90 * kTera}};
  machine.wires = true;
  return machine;
}

Machine h200() {
  Machine machine = nvidia("h200", 139 * kGiB, 4.02 * kTera, 45 * kGiga);
  machine.info.compute_units = 132;
  machine.operations_per_second = 50 * kTera;
  machine.rates = {{"attention", 100 * kTera}, {"matmul", 223 * kTera}, {"quantized", 150 * kTera}};
  machine.wires = true;
  return machine;
}

}  // namespace

std::vector<Machine> presets() {
  std::vector<Machine> all;
  all.push_back(apple("m1-8", 8 * kGiB, 58 * kGiga, 2.6 * kTera, 8));
  all.push_back(apple("m1max-32", 32 * kGiB, 340 * kGiga, 10.4 * kTera, 32));
  all.push_back(apple("m1max-64", 64 * kGiB, 340 * kGiga, 10.4 * kTera, 32));
  all.push_back(apple("m2ultra-192", 192 * kGiB, 680 * kGiga, 27.2 * kTera, 76));
  all.push_back(laptop());
  all.push_back(rtx4090());
  all.push_back(h200());
  return all;
}

}  // namespace plimsoll::hal::sim
