#include "hub/curl.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <exception>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {
namespace {

/// The functions of libcurl that are used here. It is loaded when it is needed, because it loads two dozen
/// libraries in turn, which few runs of the program need.
struct Library {
  Library() {
    void* library = nullptr;
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) {
      throw Error(
          "downloads need libcurl, which is not installed; install it (Debian and Ubuntu: libcurl4), or "
          "download the files of the model by other means");
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) throw Error("the libcurl of this system lacks {}; update it", name);
    };
    find(global_init, "curl_global_init");
    find(init, "curl_easy_init");
    find(set, "curl_easy_setopt");
    find(perform, "curl_easy_perform");
    find(reset, "curl_easy_reset");
    find(cleanup, "curl_easy_cleanup");
    find(error, "curl_easy_strerror");
    global_init(CURL_GLOBAL_DEFAULT);
  }

  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) init;
  decltype(&curl_easy_setopt) set;
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_reset) reset;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_easy_strerror) error;
};

const Library& library() {
  static const Library library;
  return library;
}

/// The state of a request, which libcurl passes to the callbacks below. These must not throw, so they keep
/// exceptions for send() to throw.
struct Exchange {
  const StopRequest& stop;
  const BodyReceiver& receive;
  WebResponse response = {};
  std::exception_ptr thrown = nullptr;
};

bool is_success(int status) {
  return status >= 200 && status < 300;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::size_t take_header(char* data, std::size_t /*one*/, std::size_t size, void* exchange) {
  WebResponse& response = static_cast<Exchange*>(exchange)->response;
  const std::string_view line = trimmed({data, size});
  const std::size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) {  // a new response, after a redirection
    response.headers.clear();
    const std::size_t space = std::min(line.find(' '), line.size() - 1);
    response.status = number_of<int>(line.substr(space + 1, 3)).value_or(0);
  } else if (colon != line.npos) {
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    });
    response.headers[name] = trimmed(line.substr(colon + 1));
  }
  return size;
}

std::size_t take_body(char* data, std::size_t /*one*/, std::size_t size, void* exchange) {
  Exchange& its = *static_cast<Exchange*>(exchange);
  try {
    if (its.receive && is_success(its.response.status)) its.receive(its.response, {data, size});
    return size;
  } catch (...) {
    its.thrown = std::current_exception();
    return 0;  // which ends the transfer
  }
}

/// Called several times a second. Ends the transfer by returning something else than 0.
int check_stop(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Exchange*>(exchange)->stop.pending();
}

/// Returns why a transfer failed.
std::string reason_of(CURLcode code, const char* details) {
  constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE; versions before 8.6 say "out of memory"
  if (code == CURLE_OUT_OF_MEMORY || static_cast<int>(code) == kTooLarge)
    return "the headers of its response are too long";
  return *details != '\0' ? details : library().error(code);
}

}  // namespace

Curl::Curl(const StopRequest& stop) : stop_(stop), handle_(library().init()) {
  if (handle_ == nullptr) throw Error("libcurl cannot be used: it has no memory");
}

Curl::~Curl() {
  library().cleanup(handle_);
}

WebResponse Curl::send(const WebRequest& request, const BodyReceiver& receive) {
  constexpr long kSecondsToConnect = 15, kSecondsOfLowSpeed = 60, kLowestSpeed = 1000;  // bytes per second
  Exchange exchange{.stop = stop_, .receive = receive};
  std::array<char, CURL_ERROR_SIZE> reason{};
  const Library& curl = library();
  const auto set = [&](CURLoption option, auto value) { curl.set(handle_, option, value); };
  curl.reset(handle_);  // the connections stay
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_USERAGENT, "nmt/" NMT_VERSION);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, reason.data());
  set(CURLOPT_CONNECTTIMEOUT, kSecondsToConnect);
  set(CURLOPT_LOW_SPEED_LIMIT, kLowestSpeed);
  set(CURLOPT_LOW_SPEED_TIME, kSecondsOfLowSpeed);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.most_time.count()));
  set(CURLOPT_NOBODY, request.is_head ? 1L : 0L);
  set(CURLOPT_FOLLOWLOCATION, request.is_head ? 0L : 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &check_stop);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&exchange));
  if (!request.token.empty()) {
    set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  }
  const std::string range = std::to_string(request.offset) + "-";
  if (request.offset > 0) set(CURLOPT_RANGE, range.c_str());

  const CURLcode code = curl.perform(handle_);
  if (exchange.thrown) std::rethrow_exception(exchange.thrown);
  stop_.check();
  if (code != CURLE_OK) exchange.response.failure = reason_of(code, reason.data());
  return std::move(exchange.response);
}

std::string url_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-_.~").find(c) != std::string_view::npos;
    if (is_plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace nmt
