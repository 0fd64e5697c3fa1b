// Fetching over HTTP(S), with the system's proxies and certificates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace plimsoll::lm {

using DownloadProgress =
    std::function<bool(uint64_t, uint64_t)>;  // bytes so far, bytes in all (0: not known); false stops

struct Page {
  std::string url;  // after redirections
  std::string body;
};

// A page of at most 64 MiB. All of these throw DownloadError naming the address without its credentials.
Page fetch_page(const std::string& url);

// Appends to the file what it lacks of the address's content, if the server can continue; else fetches it anew.
// DownloadStopped when `progress` says so; what has come stays in the file.
void fetch_file(const std::string& url, const std::string& path, const DownloadProgress& progress);

// `reference`, relative to `base` or absolute, as an address.
std::string resolve_url(const std::string& base, const std::string& reference);

// The address without user and password, for messages.
std::string without_credentials(const std::string& url);

}  // namespace plimsoll::lm
