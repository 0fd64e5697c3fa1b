// SHA-256 (FIPS 180-4), for checksums of fetched models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::base {

class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  Sha256();

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  // Digest of all bytes so far. The object may not be used after it.
  Digest finish();

 private:
  void absorb(const std::byte* block);

  std::array<uint32_t, 8> state_;
  std::array<std::byte, 64> pending_;
  size_t pending_size_ = 0;  // below 64
  uint64_t total_bytes_ = 0;
};

// 64 lower-case hexadecimal digits.
std::string to_hex(const Sha256::Digest& digest);

std::string sha256_hex(std::string_view text);

// Digest of a file's content, in hexadecimal; FileError if it cannot be read.
std::string sha256_file(const std::string& path);

}  // namespace plimsoll::base
