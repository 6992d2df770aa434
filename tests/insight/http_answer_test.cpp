#include "insight/http_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::optional<Document> documents(std::string_view path) {
  if (path == "/broken") throw Error("the run is gone");
  if (path != "/") return std::nullopt;
  return Document{.type = "text/html", .text = "<p>"};
}

std::string answer(const std::string& head) {
  return http_answer(head, documents);
}

TEST(HttpAnswer, GivesDocuments) {
  const std::string page = answer("GET /?x=1 HTTP/1.1\r\nAccept: */*\r\nhOST:  localhost:6060 \r\nX: y");
  EXPECT_THAT(page, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                          HasSubstr("\r\nContent-Type: text/html; charset=utf-8\r\n"),
                          HasSubstr("\r\nContent-Length: 3\r\n"), EndsWith("\r\n\r\n<p>")));
  EXPECT_THAT(answer("HEAD / HTTP/1.1\r\nHost: 127.0.0.1"),
              AllOf(HasSubstr("Length: 3\r\n"), EndsWith("\r\n\r\n")));
}

TEST(HttpAnswer, RefusesWhatIsAddressedToAnother) {
  for (const char* host :
       {"", "\r\nHost: evil.example", "\r\nHost: evil.example:6060", "\r\nHost: localhost.evil.example",
        "\r\nHost: 127.0.0.10", "\r\nX-Host: localhost"}) {
    EXPECT_THAT(answer("GET / HTTP/1.1" + std::string(host)), StartsWith("HTTP/1.1 403 ")) << host;
  }
}

TEST(HttpAnswer, RefusesOtherRequests) {
  EXPECT_THAT(answer("GET /etc/passwd HTTP/1.1\r\nHost: localhost"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer("POST / HTTP/1.1\r\nHost: localhost"), StartsWith("HTTP/1.1 405 "));
  for (const char* head : {"", "GET", "GET /", "GET / HTTP/2", "\r\n\r\n", "\x16\x03\x01"}) {
    EXPECT_THAT(answer(head), StartsWith("HTTP/1.1 400 ")) << head;
  }
}

TEST(HttpAnswer, TellsWhatFails) {
  EXPECT_THAT(answer("GET /broken HTTP/1.1\r\nHost: localhost"),
              AllOf(StartsWith("HTTP/1.1 503 "), EndsWith("the run is gone")));
}

}  // namespace
}  // namespace nmt
