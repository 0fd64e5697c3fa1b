// `plimsoll inspect`: what stands in a model file or folder.
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/inspection.h"
#include "cli/model.h"
#include "cli/output.h"

namespace plimsoll::cli {

namespace {

struct Options {
  CommonOptions common;
  std::string file;
};

struct TypeTotal {
  size_t tensors = 0;
  uint64_t nbytes = 0;
};

uint64_t element_count(const Shape& shape) {
  uint64_t count = 1;
  for (const ShapeElem size : shape) count *= static_cast<uint64_t>(size);
  return count;
}

uint64_t element_count(const Inspection& inspection) {
  uint64_t count = 0;
  for (const InspectedTensor& tensor : inspection.tensors) count += element_count(tensor.shape);
  return count;
}

std::map<std::string, TypeTotal> totals_by_type(const Inspection& inspection) {
  std::map<std::string, TypeTotal> totals;
  for (const InspectedTensor& tensor : inspection.tensors) {
    TypeTotal& total = totals[tensor.type];
    ++total.tensors;
    total.nbytes += tensor.nbytes;
  }
  return totals;
}

Json tensor_json(const InspectedTensor& tensor) {
  return {
      {"name", tensor.name},
      {"type", tensor.type},
      {"shape", std::vector<ShapeElem>(tensor.shape.begin(), tensor.shape.end())},
      {"bytes", tensor.nbytes},
      {"usable", tensor.usable},
  };
}

Json inspection_json(const Inspection& inspection) {
  Json types = Json::object();
  for (const auto& [name, total] : totals_by_type(inspection)) {
    types[name] = {{"tensors", total.tensors}, {"bytes", total.nbytes}};
  }
  Json metadata = Json::object();
  for (const InspectedEntry& entry : inspection.metadata) metadata[entry.key] = entry.value;
  Json tensors = Json::array();
  for (const InspectedTensor& tensor : inspection.tensors) tensors.push_back(tensor_json(tensor));
  return {
      {"path", inspection.path},
      {"format", inspection.format},
      {"bytes", inspection.nbytes},
      {"elements", element_count(inspection)},
      {"quantization", inspection.quantization.empty() ? Json(nullptr) : Json(inspection.quantization)},
      {"types", types},
      {"metadata", metadata},
      {"tensors", tensors},
  };
}

void print_header(const Inspection& inspection) {
  print(fmt::format("{}: {}, {}, {} tensors, {} elements\n", inspection.path, inspection.format,
                    base::format_bytes(inspection.nbytes), inspection.tensors.size(), element_count(inspection)));
  if (!inspection.quantization.empty()) print(fmt::format("quantization: {}\n", inspection.quantization));
  for (const auto& [name, total] : totals_by_type(inspection)) {
    print(fmt::format("  {:<10}{:>6} tensors {:>12}\n", name, total.tensors, base::format_bytes(total.nbytes)));
  }
}

void print_metadata(const Inspection& inspection) {
  if (inspection.metadata.empty()) return;
  print("metadata\n");
  for (const InspectedEntry& entry : inspection.metadata) {
    const std::string type = entry.type.empty() ? "" : " (" + entry.type + ")";
    print(fmt::format("  {}{} = {}\n", entry.key, type, entry.value));
  }
}

void print_tensors(const Inspection& inspection) {
  size_t width = 0;
  for (const InspectedTensor& tensor : inspection.tensors) width = std::max(width, tensor.name.size());
  print("tensors\n");
  for (const InspectedTensor& tensor : inspection.tensors) {
    print(fmt::format("  {:<{}}  {:<9} {:>10}  [{}]{}\n", tensor.name, width, tensor.type,
                      base::format_bytes(tensor.nbytes), fmt::join(tensor.shape, ", "),
                      tensor.usable ? "" : "  (listed only: Plimsoll does not compute with this type)"));
  }
}

int run_inspect(const Options& options) {
  apply(options.common);
  const Inspection inspection = inspect(find_model_path(options.file));
  if (options.common.json) {
    print_json(inspection_json(inspection));
    return kDone;
  }
  print_header(inspection);
  print_metadata(inspection);
  print_tensors(inspection);
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("inspect", "tensors, shapes, types, metadata and bytes of a model");
  command.footer("Example:\n  plimsoll inspect model.gguf --json");
  command.add_option("FILE", options->file, "a GGUF or safetensors file, a model folder, or a pulled model's name")
      ->required();
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_inspect(*options); }; });
}

}  // namespace plimsoll::cli
