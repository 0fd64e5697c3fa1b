// Where pip would look for packages on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::lm {

struct PipSettings {
  std::string index_url;                          // of a simple index, without a slash at the end
  std::vector<std::filesystem::path> find_links;  // local folders with wheels
};

// From PIP_INDEX_URL and PIP_FIND_LINKS, else pip's configuration files (the later ones win: machine, user,
// PIP_CONFIG_FILE).
PipSettings read_pip_settings();

// The value of a key under [global] in the text of a configuration file; empty if there is none.
std::string pip_config_value(const std::string& text, const std::string& key);

}  // namespace plimsoll::lm
