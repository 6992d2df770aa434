#include "hub/curl.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <optional>

#include "common/error.h"
#include "common/file_descriptor.h"

namespace nmt {
namespace {

/// A server that lets clients connect, and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), generic, size) != 0 || ::listen(socket_.get(), 1) != 0 ||
        ::getsockname(socket_.get(), generic, &size) != 0) {
      throw Error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
  }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  FileDescriptor socket_;
  int port_ = 0;
};

TEST(Curl, WaitsNoLongerThanItMay) {
  ::setenv("no_proxy", "*", 1);
  const SilentServer server;
  std::optional<Curl> curl;
  try {
    curl.emplace(never_stopped());
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const WebResponse response =
      curl->send({.url = server.url(), .token = "", .most_time = std::chrono::milliseconds(20)});
  EXPECT_EQ(response.status, 0);
  EXPECT_TRUE(response.failure.find("timed out") != std::string::npos) << response.failure;
}

TEST(UrlEncoded, KeepsLettersAndDigits) {
  EXPECT_EQ(url_encoded("refs/pr/1 \xc3\xa4"), "refs%2Fpr%2F1%20%C3%A4");
  EXPECT_EQ(url_encoded("aZ09-_.~"), "aZ09-_.~");
}

}  // namespace
}  // namespace nmt
