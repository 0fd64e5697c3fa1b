// Links of a package index's page (PEP 503).
#pragma once

#include <optional>
#include <string>

namespace plimsoll::lm {

struct IndexLink {
  std::string url;     // as it stands on the page, perhaps relative, without its fragment
  std::string sha256;  // 64 lower-case hexadecimal digits; empty if the page gives none
};

// The link on an HTML page to a file of this name.
std::optional<IndexLink> find_link(const std::string& html, const std::string& file_name);

}  // namespace plimsoll::lm
