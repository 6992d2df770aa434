// HTTP requests, sent by libcurl.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/job_context.h"

namespace nmt {

struct WebRequest {
  std::string url;                         // http:// or https://
  std::string token;                       // for Authorization: Bearer, not sent to other hosts; empty: none
  bool is_head = false;                    // asks for the headers alone, and does not follow redirections
  std::int64_t offset = 0;                 // the first byte that is asked for
  std::chrono::milliseconds most_time{0};  // for the whole response; 0: as long as it is not very slow
};

struct WebResponse {
  int status = 0;                              // 0 if there is none
  std::map<std::string, std::string> headers;  // by lower-case name
  std::string failure;                         // why there is no response, or not all of it; empty otherwise
};

/// Receives the next bytes of the body of a successful response, of which the status and headers are known.
using BodyReceiver = std::function<void(const WebResponse& response, std::string_view bytes)>;

/// A connection that is kept between requests. Honors the proxies of the environment.
class Curl {
 public:
  /// Loads libcurl. Throws Error that says what to install if there is none. `stop` must outlive this object.
  explicit Curl(const StopRequest& stop);
  ~Curl();
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  /// Sends a request and waits for the response. Throws Interrupted on a request to stop, and what `receive`
  /// throws.
  WebResponse send(const WebRequest& request, const BodyReceiver& receive = {});

 private:
  const StopRequest& stop_;
  void* handle_;
};

/// Returns a text as part of the path of a URL: every byte but letters, digits, "-", "_", ".", "~" is "%XX".
std::string url_encoded(std::string_view text);

}  // namespace nmt
