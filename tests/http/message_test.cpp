#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/io/spool.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::ThrowsMessage;

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

TEST(HttpMessage, AFileFollowsItsHead) {
  Spool spool;
  spool.append("abc", 3);
  const HttpResponse response{.file = std::make_shared<const MemoryMap>(spool.map())};
  EXPECT_THAT(bytes_of(response, {}),
              AllOf(HasSubstr("Content-Length: 3\r\n"), EndsWith("Connection: close\r\n\r\n")));
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

TEST(HttpMessage, PercentEncoding) {
  EXPECT_EQ(percent_encoded("a b/\xC3\xA4.txt"), "a%20b%2F%C3%A4.txt");
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
              ElementsAre(Pair("q", "a\r\n--y"), Pair("q", ""), Pair("a\"b", "c")));
  EXPECT_THAT(multipart_fields("--x--", "x"), ElementsAre());
  const auto refused = [](const std::string& form, const std::string& boundary, const std::string& cause) {
    EXPECT_THAT([&] { multipart_fields(form, boundary); }, ThrowsMessage<UsageError>(HasSubstr(cause)));
  };
  for (std::size_t size = body.find("--x") + 3; size + 4 < body.size(); ++size)
    refused(body.substr(0, size), "x", "ends before its last boundary");
  refused(body, "", "names no boundary");
  refused(body, "z", "does not have the boundary");
  refused("--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--", "x", "has no name");
}

TEST(HttpMessage, FilesOfAForm) {
  const auto part = [](const std::string& parameters, const std::string& bytes) {
    return "--x\r\nContent-Disposition: form-data; " + parameters + "\r\n\r\n" + bytes + "\r\n";
  };
  const std::string body = part("name=a", "text") + part("name=b; filename=\"c;d.txt\"", "") +
                           part("name=b; filename*=UTF-8''%C3%A4%20b", "\r\n--y") +
                           part("name=b; filename*=latin1''%E4", "") +
                           part("name=b; filename=\"%22%0D%0A%41%\"", "") + "--x--";
  const auto parts = multipart_parts(body, "x", 5);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[0].file_name, std::nullopt);
  EXPECT_EQ(parts[1].file_name, "c;d.txt");
  EXPECT_EQ(parts[1].bytes, "");
  EXPECT_EQ(parts[2].file_name, "\xC3\xA4 b");
  EXPECT_EQ(parts[2].bytes, "\r\n--y");
  EXPECT_EQ(parts[3].file_name, std::nullopt) << "another character set than UTF-8";
  EXPECT_EQ(parts[4].file_name, "\"\r\n%41%") << "only these are encoded";
  EXPECT_THAT([&] { multipart_parts(body, "x", 4); },
              ThrowsMessage<UsageError>(HasSubstr("more than 4 fields")));
  const std::string long_head = part("name=\"" + std::string(1 << 15, 'a') + '"', "") + "--x--";
  EXPECT_THAT([&] { multipart_parts(long_head, "x", 1); },
              ThrowsMessage<UsageError>(HasSubstr("more than 16384 bytes")));
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
