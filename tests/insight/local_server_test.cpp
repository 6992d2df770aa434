#include "insight/local_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::EndsWith;

HttpResponse answer(HttpRequest request) {
  return document_answer(request, [](std::string_view path) -> std::optional<Document> {
    if (path == "/broken") throw Error("the run is gone");
    if (path != "/") return std::nullopt;
    return Document{.type = "text/html", .text = "<p>"};
  });
}

HttpResponse answer_to(const std::string& method, const std::string& path, const std::string& host) {
  return answer({.method = method, .path = path, .fields = {{"host", host}}});
}

TEST(LocalServer, GivesDocuments) {
  const HttpResponse page = answer_to("GET", "/", "localhost:6060");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body, "<p>");
  EXPECT_EQ(answer_to("HEAD", "/", "127.0.0.1").status, 200);
}

TEST(LocalServer, RefusesWhatIsAddressedToAnother) {
  for (const char* host : {"", "evil.example", "evil.example:6060", "localhost.evil.example", "127.0.0.10"}) {
    EXPECT_EQ(answer_to("GET", "/", host).status, 403) << host;
  }
}

TEST(LocalServer, RefusesOtherRequests) {
  EXPECT_EQ(answer_to("GET", "/etc/passwd", "localhost").status, 404);
  EXPECT_EQ(answer_to("POST", "/", "localhost").status, 405);
  EXPECT_EQ(answer({.kind = HttpRequest::Kind::handshake,
                    .method = "GET",
                    .path = "/",
                    .fields = {{"host", "localhost"}}})
                .status,
            405);
}

TEST(LocalServer, TellsWhatFails) {
  const HttpResponse failure = answer_to("GET", "/broken", "localhost");
  EXPECT_EQ(failure.status, 503);
  EXPECT_THAT(failure.body, EndsWith("the run is gone"));
}

}  // namespace
}  // namespace nmt
