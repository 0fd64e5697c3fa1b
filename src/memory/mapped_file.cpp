#include "memory/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plimsoll/errors.h"
#include "memory/saturate.h"

namespace plimsoll::memory {

namespace {

// A file descriptor that closes itself unless it is kept.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) throw FileError(path, std::string("cannot be opened: ") + std::strerror(errno));
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd() const noexcept { return fd_; }
  int keep() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

size_t regular_size(int fd, const std::string& path) {
  struct stat status{};
  if (fstat(fd, &status) != 0) throw FileError(path, std::string("cannot be examined: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file");
  return static_cast<size_t>(status.st_size);
}

int advice_of(MappedFile::Access access) noexcept {
  switch (access) {
    case MappedFile::Access::kSequential:
      return MADV_SEQUENTIAL;
    case MappedFile::Access::kWillNeed:
      return MADV_WILLNEED;
    case MappedFile::Access::kRandom:
      break;
  }
  return MADV_RANDOM;
}

}  // namespace

MappedFile::MappedFile(Pool& pool, const std::string& path)
    : pool_(pool), path_(path), page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
  OpenFile file(path);
  size_ = regular_size(file.fd(), path);
  if (size_ == 0) throw FileError(path, "is empty");
  charged_ = saturating_round_up(size_, page_);
  pool_.charge_mapped(charged_, path);
  void* const data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    pool_.discharge_mapped(charged_);
    throw FileError(path, std::string("cannot be mapped: ") + std::strerror(error));
  }
  data_ = static_cast<const std::byte*>(data);
  file_ = file.keep();
}

MappedFile::~MappedFile() {
  munmap(const_cast<std::byte*>(data_), size_);
  close(file_);
  pool_.discharge_mapped(charged_);
}

void MappedFile::check_size() const {
  const size_t now = regular_size(file_, path_);
  if (now < size_) {
    throw FileError(path_, "has shrunk from " + std::to_string(size_) + " to " + std::to_string(now) +
                               " bytes while it was in use");
  }
}

void MappedFile::advise(Access access, size_t offset, size_t bytes) const noexcept {
  if (offset >= size_) return;
  const size_t begin = offset / page_ * page_;
  const size_t end = offset + std::min(bytes, size_ - offset);
  madvise(const_cast<std::byte*>(data_) + begin, end - begin, advice_of(access));
}

// Whole pages of [begin, end), in bytes, and where they start. The end of the file completes its page.
size_t MappedFile::whole_pages(size_t begin, size_t end, size_t& first) const noexcept {
  first = saturating_round_up(begin, page_);
  const size_t last = end == size_ ? saturating_round_up(end, page_) : end / page_ * page_;
  return last > first ? last - first : 0;
}

void MappedFile::discard(size_t offset, size_t bytes) {
  if (offset >= size_ || bytes == 0) return;
  size_t begin = offset;
  size_t end = offset + std::min(bytes, size_ - offset);
  const std::lock_guard lock(mutex_);
  size_t first = 0;
  size_t known = 0;
  auto piece = discarded_.upper_bound(begin);
  if (piece != discarded_.begin() && std::prev(piece)->second >= begin) --piece;
  while (piece != discarded_.end() && piece->first <= end) {
    known += whole_pages(piece->first, piece->second, first);
    begin = std::min(begin, piece->first);
    end = std::max(end, piece->second);
    piece = discarded_.erase(piece);
  }
  discarded_.emplace(begin, end);
  const size_t gone = whole_pages(begin, end, first);
  if (gone == known) return;
  madvise(const_cast<std::byte*>(data_) + first, gone, MADV_DONTNEED);
  charged_ -= gone - known;
  pool_.discharge_mapped(gone - known);
}

size_t MappedFile::charged() const {
  const std::lock_guard lock(mutex_);
  return charged_;
}

}  // namespace plimsoll::memory
