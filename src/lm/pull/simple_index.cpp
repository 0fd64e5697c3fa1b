#include "lm/pull/simple_index.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace plimsoll::lm {

namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_ampersand = text.substr(i).starts_with("&amp;");
    out += text[i];
    if (is_ampersand) i += 4;
  }
  return out;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

IndexLink make_link(const std::string& href) {
  const size_t hash = href.find('#');
  IndexLink link{href.substr(0, hash), {}};
  constexpr std::string_view kKey = "sha256=";
  const size_t at = hash == std::string::npos ? hash : href.find(kKey, hash);
  if (at == std::string::npos) return link;
  const std::string digest = href.substr(at + kKey.size(), 64);
  if (!is_sha256(digest)) return link;
  std::ranges::transform(digest, std::back_inserter(link.sha256), [](unsigned char c) { return std::tolower(c); });
  return link;
}

// The part of an address after its last slash, without query.
std::string_view base_name(std::string_view url) {
  url = url.substr(0, url.find('?'));
  return url.substr(url.rfind('/') == std::string_view::npos ? 0 : url.rfind('/') + 1);
}

}  // namespace

std::optional<IndexLink> find_link(const std::string& html, const std::string& file_name) {
  constexpr std::string_view kHref = "href=";
  for (size_t at = html.find(kHref); at != std::string::npos; at = html.find(kHref, at)) {
    at += kHref.size();
    if (at >= html.size() || (html[at] != '"' && html[at] != '\'')) continue;
    const size_t end = html.find(html[at], at + 1);
    if (end == std::string::npos) break;
    IndexLink link = make_link(unescaped(std::string_view(html).substr(at + 1, end - at - 1)));
    if (base_name(link.url) == file_name) return link;
    at = end;
  }
  return std::nullopt;
}

}  // namespace plimsoll::lm
