// Small files and atomic writing. Large inputs are mapped elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::base {

// Whole content of a regular file of at most `max_bytes`; FileError otherwise.
std::string read_file(const std::string& path, uint64_t max_bytes);

// Writes a file so that readers, and a crash at any moment, see the old content or the new, never a mixture: bytes go
// to a temporary name in the same folder, commit() forces them to disk and renames. A symbolic link is followed, and
// the permissions of a file that is replaced are kept. Every failure is WriteError and leaves the old file whole. For
// use by one thread.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();  // drops what was written unless commit() succeeded
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  uint64_t bytes_written() const { return bytes_written_; }

  // Requires that it was not called before; nothing may be written after it.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& doing, int error) const;
  void open_temporary();
  void keep_permissions() const;

  std::string path_;       // as the caller named it
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty once renamed
  int descriptor_ = -1;
  uint64_t bytes_written_ = 0;
};

void write_file_atomically(const std::string& path, std::string_view content);

// Makes the folder and its parents where missing; WriteError if that fails.
void make_folders(const std::string& path);

// PLIMSOLL_HOME, else ~/.cache/plimsoll (XDG_CACHE_HOME/plimsoll where that is set). Not created by this call.
// Without any of these variables and HOME: .plimsoll in the current folder.
std::filesystem::path plimsoll_home();

}  // namespace plimsoll::base
