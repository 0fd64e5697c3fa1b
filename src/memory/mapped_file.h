// A file mapped read-only, counted as `mapped` in a pool for as long as its pages may be resident.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "memory/pool.h"

namespace plimsoll::memory {

// The whole file, in whole pages. The pool outlives it. Reading is thread-safe, and so is discard.
class MappedFile {
 public:
  enum class Access {
    kSequential,  // will be read once, front to back
    kWillNeed,    // will be read soon: start reading it in
    kRandom,
  };

  // Throws FileError if the file is missing, unreadable, empty or no regular file, and OutOfMemory, before anything is
  // mapped, if it cannot fit into the pool's limit.
  MappedFile(Pool& pool, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  // Throws FileError if the file is now shorter than it was: reading the part that is gone would end the process.
  void check_size() const;

  // A hint; the range is widened to pages, and cut to the file.
  void advise(Access access, size_t offset, size_t bytes) const noexcept;

  // The range has been copied elsewhere and is not read again: pages that are wholly discarded, by this call and
  // earlier ones, leave memory and the pool's count. (Reading them all the same is possible, and uncounted.)
  void discard(size_t offset, size_t bytes);

  // Bytes of the pool that it still counts for.
  size_t charged() const;

 private:
  size_t whole_pages(size_t begin, size_t end, size_t& first) const noexcept;

  Pool& pool_;
  std::string path_;
  int file_ = -1;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t page_ = 0;

  mutable std::mutex mutex_;
  size_t charged_ = 0;
  std::map<size_t, size_t> discarded_;  // begin -> end, disjoint and not touching
};

}  // namespace plimsoll::memory
