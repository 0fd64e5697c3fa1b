#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/bytes.h"
#include "base/env.h"

namespace plimsoll::base {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Size of an open regular file within the cap.
uint64_t checked_size(const std::string& path, int descriptor, uint64_t max_bytes) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) throw FileError(path, "cannot read the file's size: " + reason(errno));
  if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > max_bytes) {
    throw FileError(path, fmt::format("has {}, more than the {} that such a file may have", format_bytes(size),
                                      format_bytes(max_bytes)));
  }
  return size;
}

// The name behind symbolic links, so that a rename replaces the file and not the link.
std::string resolve_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::string read_file(const std::string& path, uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw FileError(path, "cannot open: " + reason(errno));
  std::string content(checked_size(path, file.get(), max_bytes), '\0');
  size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(path, "cannot read: " + reason(errno));
    if (got == 0)
      throw FileError(path, fmt::format("ended after {} of {} bytes while being read", filled, content.size()));
    filled += static_cast<size_t>(got);
  }
  return content;
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_links(path)) {
  open_temporary();
  keep_permissions();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const std::string& doing, int error) const {
  throw WriteError(path_, doing + ": " + reason(error));
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> counter{0};
  do {
    temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), counter++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ >= 0) return;
  const int error = errno;
  temporary_.clear();
  fail("cannot create a file beside it", error);
}

void AtomicFile::keep_permissions() const {
  struct stat status{};
  if (::stat(target_.c_str(), &status) == 0) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  constexpr size_t kLargestWrite = size_t{1} << 30;  // systems cut or refuse single writes above 2 GiB
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kLargestWrite));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", errno);
    bytes_written_ += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot force to disk", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot close", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot put in place", errno);
  temporary_.clear();
  // The rename itself becomes durable with its folder; a file system that cannot sync a folder has done its best.
  const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) static_cast<void>(::fsync(folder.get()));
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw WriteError(path, "cannot create the folder: " + error.message());
}

std::filesystem::path plimsoll_home() {
  if (const auto home = env_string("PLIMSOLL_HOME")) return *home;
  if (const auto cache = env_string("XDG_CACHE_HOME")) return std::filesystem::path(*cache) / "plimsoll";
  if (const auto home = env_string("HOME")) return std::filesystem::path(*home) / ".cache" / "plimsoll";
  return ".plimsoll";
}

}  // namespace plimsoll::base
