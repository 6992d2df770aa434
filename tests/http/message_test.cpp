#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::Pair;

TEST(HttpMessage, BytesOfAResponse) {
  const HttpResponse response{.status = 404, .type = "text/html", .body = "<p>", .fields = {{"A", "b"}}};
  EXPECT_EQ(bytes_of(response, {.keeps_open = true}),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
            "Connection: keep-alive\r\nA: b\r\n\r\n<p>");
  EXPECT_THAT(bytes_of(response, {.with_body = false}),
              AllOf(HasSubstr("Length: 3\r\nConnection: close"), EndsWith("\r\n\r\n")));
}

TEST(HttpMessage, NoContentHasNoLength) {
  EXPECT_EQ(bytes_of({.status = 204}, {.keeps_open = true}),
            "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
}

TEST(HttpMessage, TypeOfABody) {
  HttpRequest request;
  EXPECT_EQ(request.body_type(), "");
  request.fields["content-type"] = "Application/JSON ; charset=utf-8";
  EXPECT_EQ(request.body_type(), "application/json");
}

TEST(HttpMessage, PercentDecoding) {
  EXPECT_THAT(percent_decoded("a%20b+c%C3%a4", false), Optional(std::string("a b+c\xC3\xA4")));
  EXPECT_THAT(percent_decoded("a+b", true), Optional(std::string("a b")));
  for (const char* malformed : {"%", "%1", "a%g1", "%+1", "%-1"}) {
    EXPECT_EQ(percent_decoded(malformed, false), std::nullopt) << malformed;
  }
}

TEST(HttpMessage, FieldsOfAForm) {
  EXPECT_THAT(form_fields("q=a+b%26&q=&&x&=y"),
              Optional(ElementsAre(Pair("q", "a b&"), Pair("q", ""), Pair("x", ""), Pair("", "y"))));
  EXPECT_EQ(form_fields("q=%"), std::nullopt);
}

TEST(HttpMessage, PartsOfAForm) {
  const std::string body =
      "before\r\n--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\n--y\r\n"
      "--x\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; filename=\"a;b\"; "
      "name=q\r\n\r\n\r\n"
      "--x\r\nContent-Disposition: form-data; name=\"a\\\"b\"\r\n\r\nc\r\n--x--\r\n";
  EXPECT_THAT(multipart_fields(body, "x"),
              Optional(ElementsAre(Pair("q", "a\r\n--y"), Pair("q", ""), Pair("a\"b", "c"))));
  EXPECT_THAT(multipart_fields("--x--", "x"), Optional(ElementsAre()));
  for (std::size_t size = body.find("--x"); size + 4 < body.size(); ++size)
    EXPECT_EQ(multipart_fields(body.substr(0, size), "x"), std::nullopt) << size;
  EXPECT_EQ(multipart_fields(body, ""), std::nullopt);
  EXPECT_EQ(multipart_fields(body, "z"), std::nullopt);
}

TEST(HttpMessage, ParametersOfTheTypeOfABody) {
  const auto boundary = [](const std::string& type) {
    return HttpRequest{.fields = {{"content-type", type}}}.body_parameter("boundary");
  };
  EXPECT_EQ(boundary("multipart/form-data; boundary=a-b"), "a-b");
  EXPECT_EQ(boundary("multipart/form-data;charset=\"x;boundary=y\" ; Boundary = \"a b\\\"\""), "a b\"");
  for (const char* none : {"", ";", "multipart/form-data", "multipart/form-data; boundary", "a; b=\""})
    EXPECT_EQ(boundary(none), "") << none;
}

TEST(HttpMessage, Hosts) {
  EXPECT_EQ(host_name("LocalHost:80"), "localhost");
  EXPECT_EQ(host_name("[::1]:80"), "::1");
  EXPECT_EQ(host_name("[::1"), "");
  EXPECT_TRUE(is_loopback("::1"));
  for (const char* other : {"", "127.0.0.10", "localhost.evil.example"})
    EXPECT_FALSE(is_loopback(other)) << other;
  EXPECT_TRUE(is_address("192.168.0.1"));
  EXPECT_TRUE(is_address("fe80::1"));
  EXPECT_FALSE(is_address("1.2.3.4.example"));
}

}  // namespace
}  // namespace nmt
