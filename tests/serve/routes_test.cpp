#include "serve/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nmt {
namespace {

TEST(Routes, SegmentsOfAPath) {
  EXPECT_EQ(segment_of("/v2/languages", 0), "v2");
  EXPECT_EQ(segment_of("/v2/languages", 1), "languages");
  EXPECT_EQ(segment_of("/v2/languages", 2), "");
  EXPECT_EQ(segment_of("/", 0), "");
  EXPECT_EQ(segment_of("/a//b", 2), "b");
  EXPECT_EQ(segment_of("", 0), "");
}

TEST(Routes, AreFoundByMethodAndPattern) {
  EXPECT_STREQ(route_of({.method = "GET", .path = "/v1/models"}).interface, "v1");
  EXPECT_STREQ(route_of({.method = "HEAD", .path = "/v1/models"}).interface, "v1");
  EXPECT_STREQ(route_of({.method = "GET", .path = "/v1/models/en-de"}).interface, "openai");
  EXPECT_STREQ(route_of({.method = "POST", .path = "/v2/translate"}).interface, "deepl");
  for (const char* unknown : {"/v1/models/", "/v1/models/a/b", "/v1", "", "v1/models", "/v1/modelsx", "//"}) {
    EXPECT_THROW(route_of({.method = "GET", .path = unknown}), CallError) << unknown;
  }
  try {
    route_of({.method = "DELETE", .path = "/v2/usage"});
    FAIL() << "found";
  } catch (const WrongMethod& error) {
    EXPECT_EQ(error.allowed(), "GET, HEAD, POST");
  }
}

TEST(Routes, ErrorsHaveTheFormOfTheirInterface) {
  const auto error_of = [](const std::string& path) { return error_body_of(path)(400, "a").dump(); };
  EXPECT_EQ(error_of("/v1/translate"), R"({"error":"a"})");
  EXPECT_EQ(error_of("/none"), R"({"error":"a"})");
  EXPECT_EQ(error_of("/v2/translate"), R"({"message":"a"})");
  EXPECT_EQ(error_of("/v2/write/rephrase"), R"({"message":"a"})");
  EXPECT_EQ(error_of("/v1/chat/completions"),
            R"({"error":{"message":"a","type":"invalid_request_error","param":null,"code":null}})");
}

}  // namespace
}  // namespace nmt
