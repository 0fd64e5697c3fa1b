#include "base/sha256.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "plimsoll/errors.h"

#include "base/file.h"

namespace plimsoll::base {
namespace {

// Examples of NIST's FIPS 180-2 and its secure hash standard test vectors.
TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheTextIsCut) {
  const std::string text(300, 'q');
  for (const size_t piece : {1, 3, 63, 64, 65, 130}) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += piece) hash.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(to_hex(hash.finish()), sha256_hex(text)) << piece;
  }
}

TEST(Sha256, HashesFiles) {
  const auto path = (std::filesystem::temp_directory_path() / "plimsoll_sha256_test").string();
  write_file_atomically(path, "abc");
  EXPECT_EQ(sha256_file(path), sha256_hex("abc"));
  std::filesystem::remove(path);
  EXPECT_THROW(sha256_file(path), FileError);
}

}  // namespace
}  // namespace plimsoll::base
