#include "lm/pull/http.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/lm/registry.h"
#include "base/env.h"

namespace plimsoll::lm {

namespace {

constexpr size_t kMaxPageBytes = size_t{64} << 20;
constexpr long kConnectSeconds = 30;
constexpr long kStallSeconds = 60;  // without a byte

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

std::string text_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

// One transfer at a time; the connection is kept for the next.
class Transfer {
 public:
  explicit Transfer(const std::string& url) : url_(url), handle_(make_handle(), curl_easy_cleanup) {
    if (!handle_) throw DownloadError("[download] libcurl could not be started");
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kStallSeconds);
    set(CURLOPT_USERAGENT, "plimsoll");
    set(CURLOPT_ERRORBUFFER, message_);
    if (const auto certificates = base::env_string("PIP_CERT")) set(CURLOPT_CAINFO, certificates->c_str());
  }

  template <typename T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(handle_.get(), option, value);
  }

  CURLcode perform() { return curl_easy_perform(handle_.get()); }

  long status() const {
    long code = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  std::string effective_url() const {
    const char* url = nullptr;
    curl_easy_getinfo(handle_.get(), CURLINFO_EFFECTIVE_URL, &url);
    return url != nullptr ? url : url_;
  }

  [[noreturn]] void fail(CURLcode code) const {
    const std::string what = message_[0] != '\0' ? message_ : curl_easy_strerror(code);
    throw DownloadError(fmt::format("[download] {}: {}", without_credentials(url_), what));
  }

 private:
  static CURL* make_handle() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    return started == CURLE_OK ? curl_easy_init() : nullptr;
  }

  std::string url_;
  char message_[CURL_ERROR_SIZE] = "";
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
};

size_t append_to_page(char* data, size_t size, size_t count, void* page) {
  auto& body = *static_cast<std::string*>(page);
  const size_t bytes = size * count;
  if (bytes > kMaxPageBytes - body.size()) return 0;  // libcurl then gives up
  body.append(data, bytes);
  return bytes;
}

struct FileDeleter {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

struct FileSink {
  std::unique_ptr<std::FILE, FileDeleter> file;
  const DownloadProgress& progress;
  uint64_t resumed_at;
  bool stopped = false;
};

size_t append_to_file(char* data, size_t size, size_t count, void* sink) {
  return std::fwrite(data, size, count, static_cast<FileSink*>(sink)->file.get()) * size;
}

int report(void* sink, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& target = *static_cast<FileSink*>(sink);
  if (!target.progress) return 0;
  const uint64_t in_all = total > 0 ? static_cast<uint64_t>(total) + target.resumed_at : 0;
  target.stopped = !target.progress(static_cast<uint64_t>(now) + target.resumed_at, in_all);
  return target.stopped ? 1 : 0;
}

uint64_t size_of_file(const std::string& path) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : bytes;
}

constexpr long kRangeNotSatisfiable = 416;

// Whether the server could continue at `from`.
bool fetch_from(const std::string& url, const std::string& path, uint64_t from, const DownloadProgress& progress) {
  FileSink sink{std::unique_ptr<std::FILE, FileDeleter>(std::fopen(path.c_str(), from > 0 ? "ab" : "wb")), progress,
                from};
  if (!sink.file) throw WriteError(path, "cannot be opened for writing");
  Transfer transfer(url);
  transfer.set(CURLOPT_WRITEFUNCTION, append_to_file);
  transfer.set(CURLOPT_WRITEDATA, &sink);
  transfer.set(CURLOPT_NOPROGRESS, 0L);
  transfer.set(CURLOPT_XFERINFOFUNCTION, report);
  transfer.set(CURLOPT_XFERINFODATA, &sink);
  if (from > 0) transfer.set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(from));
  const CURLcode code = transfer.perform();
  if (sink.stopped) throw DownloadStopped(fmt::format("[download] {} was stopped", without_credentials(url)));
  if (from > 0 && (code == CURLE_RANGE_ERROR || transfer.status() == kRangeNotSatisfiable)) return false;
  if (code == CURLE_WRITE_ERROR) throw WriteError(path, "could not be written; the disk may be full");
  if (code != CURLE_OK) transfer.fail(code);
  if (std::fflush(sink.file.get()) != 0) throw WriteError(path, "could not be written; the disk may be full");
  return true;
}

}  // namespace

Page fetch_page(const std::string& url) {
  Page page;
  Transfer transfer(url);
  transfer.set(CURLOPT_WRITEFUNCTION, append_to_page);
  transfer.set(CURLOPT_WRITEDATA, &page.body);
  const CURLcode code = transfer.perform();
  if (code != CURLE_OK) transfer.fail(code);
  page.url = transfer.effective_url();
  return page;
}

void fetch_file(const std::string& url, const std::string& path, const DownloadProgress& progress) {
  const uint64_t there = size_of_file(path);
  if (there > 0 && fetch_from(url, path, there, progress)) return;
  fetch_from(url, path, 0, progress);
}

std::string resolve_url(const std::string& base, const std::string& reference) {
  const Url url(curl_url());
  const bool whole = url && curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0) == CURLUE_OK &&
                     curl_url_set(url.get(), CURLUPART_URL, reference.c_str(), 0) == CURLUE_OK;
  if (!whole) throw DownloadError(fmt::format("[download] {} is no address", without_credentials(reference)));
  return text_of(url.get(), CURLUPART_URL);
}

std::string without_credentials(const std::string& url) {
  const Url parsed(curl_url());
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    return url.substr(0, url.find("://"));
  curl_url_set(parsed.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(parsed.get(), CURLUPART_PASSWORD, nullptr, 0);
  return text_of(parsed.get(), CURLUPART_URL);
}

}  // namespace plimsoll::lm
