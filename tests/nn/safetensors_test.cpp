#include "nn/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "common/complaint.h"
#include "nn/safetensors_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<FileTensor> load(const std::string& bytes) {
  return locate_tensors(parse_safetensors(bytes, "m.safetensors"), "m.safetensors");
}

/// Returns the error of loading; "" if it succeeds. Exceptions other than Error end the test.
std::string complaint(const std::string& bytes) {
  return testing::complaint([&] { load(bytes); });
}

std::string complaint(const std::string& header, const std::string& data) {
  return complaint(safetensors_bytes(header, data));
}

const std::string kEightBytes(8, '\1');

TEST(Safetensors, FindsMetadataAndTensors) {
  const std::string good =
      safetensors_bytes(R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},"__metadata__":{"k":"v"},)"
                        R"("a":{"data_offsets":[0,8],"shape":[2,1],"dtype":"F32"}}   )",
                        kEightBytes + "xyz");
  EXPECT_EQ(parse_safetensors(good, "m").metadata.at("k"), "v");
  const std::vector<FileTensor> tensors = load(good);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].dtype, DType::f32);
  EXPECT_THAT(tensors[0].shape, ElementsAre(2, 1));
  EXPECT_EQ(tensors[0].bytes(), 8U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(tensors[1].data), tensors[1].bytes()), "xyz");
}

TEST(Safetensors, NumbersAndEmptyTensorsAreLegal) {
  const std::vector<FileTensor> tensors =
      load(safetensors_bytes(R"({"empty":{"dtype":"F64","shape":[0,7],"data_offsets":[4,4]},)"
                             R"("none":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                             R"("number":{"dtype":"I32","shape":[],"data_offsets":[0,4]}})",
                             "abcd"));
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].bytes(), 0U);
  EXPECT_THAT(tensors[2].shape, IsEmpty());
  EXPECT_EQ(tensors[2].size(), 1);
  EXPECT_THAT(load(safetensors_bytes("{}", "")), IsEmpty());
}

TEST(Safetensors, RefusesWrongLengths) {
  EXPECT_THAT(complaint(""), HasSubstr("ends after 0 bytes"));
  EXPECT_THAT(complaint(std::string(7, '\0')), HasSubstr("ends after 7 bytes"));
  EXPECT_THAT(complaint(std::string(8, '\0')), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint(length_bytes(20) + "{}"), HasSubstr("ends after 2 of 20 bytes of its header"));
  for (const std::uint64_t length : {std::uint64_t{100'000'001}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_THAT(complaint(length_bytes(length) + "{}"), HasSubstr("does not begin like a safetensors file"));
  }
}

TEST(Safetensors, RefusesHeadersOfAnotherForm) {
  const std::string entry = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"( {})", "not a JSON object"},
      {R"([])", "not a JSON object"},
      {R"({)", "not valid JSON"},
      {R"({} x)", "not valid JSON"},
      {R"({"a":)" + entry + "}{}", "not valid JSON"},
      {"{\"\xff\":" + entry + "}", "not valid JSON"},
      {R"({"a":1})", "a number"},
      {R"({"a":null})", "null"},
      {R"({"a":"b"})", "a string"},
      {R"({"a":[]})", "a list"},
      {R"({"a":{}})", "lacks dtype, shape or data_offsets of tensor 'a'"},
      {R"({"a":{"dtype":"U8","shape":[1]}})", "lacks"},
      {R"({"a":)" + entry + R"(,"a":)" + entry + "}", "two entries 'a'"},
      {R"({"__metadata__":{},"__metadata__":{}})", "two entries '__metadata__'"},
      {R"({"__metadata__":{"k":"v","k":"w"}})", "repeats 'k' in its metadata"},
      {R"({"__metadata__":{"k":1}})", "a number for 'k' in its metadata"},
      {R"({"__metadata__":{"k":["v"]}})", "a list for 'k'"},
      {R"({"__metadata__":{"k":{"l":"v"}}})", "an object for 'k'"},
      {R"({"__metadata__":"v"})", "a string"},
      {R"({"a":{"dtype":"U8","dtype":"U8"}})", "repeats 'dtype' of tensor 'a'"},
      {R"({"a":{"type":"U8"}})", "unknown field 'type' of tensor 'a'"},
      {R"({"a":{"dtype":["U8"]}})", "a list for 'dtype'"},
      {R"({"a":{"dtype":8}})", "a number for 'dtype'"},
      {R"({"a":{"shape":"1"}})", "a string for 'shape'"},
      {R"({"a":{"shape":1}})", "a number for 'shape'"},
      {R"({"a":{"shape":[-1]}})", "a negative number for 'shape'"},
      {R"({"a":{"shape":[1.0]}})", "a fraction for 'shape'"},
      {R"({"a":{"shape":[1e999]}})", "not valid JSON"},
      {R"({"a":{"shape":[true]}})", "true or false for 'shape'"},
      {R"({"a":{"shape":[[1]]}})", "a list for 'shape'"},
      {R"({"a":{"shape":[{}]}})", "an object for 'shape'"},
      {R"({"a":{"shape":[1,1,1,1,1,1,1,1,1]}})", "too many numbers for 'shape'"},
      {R"({"a":{"shape":[9223372036854775808]}})", "a huge number for 'shape'"},
      {R"({"a":{"shape":[99999999999999999999]}})", "a fraction for 'shape'"},
      {R"({"a":{"data_offsets":[0]}})", "too few numbers for 'data_offsets'"},
      {R"({"a":{"data_offsets":[0,1,2]}})", "too many numbers for 'data_offsets'"},
      {R"({"a":{"data_offsets":[-1,1]}})", "a negative number for 'data_offsets'"},
  };
  for (const auto& [header, reason] : cases) {
    EXPECT_THAT(complaint(header, "x"), AllOf(StartsWith("'m.safetensors' is damaged: "), HasSubstr(reason),
                                              HasSubstr("; copy it again or use another checkpoint")))
        << header;
  }
}

TEST(Safetensors, DeepNestingIsRefusedAtItsBeginning) {
  constexpr int kDepth = 1'000'000;
  std::string objects = "{";
  for (int i = 0; i < kDepth; ++i) objects += R"("a":{)";
  EXPECT_THAT(complaint(objects, ""), HasSubstr("unknown field"));
  EXPECT_THAT(complaint(R"({"a":{"shape":)" + std::string(kDepth, '['), ""), HasSubstr("a list"));
  EXPECT_THAT(complaint(R"({"__metadata__":)" + std::string(kDepth, '['), ""), HasSubstr("a list"));
}

TEST(Safetensors, RefusesOffsetsThatCannotBe) {
  const auto tensor = [](const std::string& name, const std::string& shape, const std::string& offsets) {
    return '"' + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {tensor("a", "[2]", "[0,12]"), "ends after 8 bytes of its data, but tensor 'a' reaches to byte 12"},
      {tensor("a", "[2]", "[8,0]"), "do not fit"},
      {tensor("a", "[2]", "[0,4]"), "do not fit"},
      {tensor("a", "[1]", "[4,4]"), "do not fit"},
      {tensor("a", "[2]", "[9223372036854775800,9223372036854775807]"), "reaches to byte"},
      {tensor("a", "[4294967296,4294967296]", "[0,0]"), "the shape of tensor 'a' is too large"},
      {tensor("a", "[2305843009213693953]", "[0,4]"), "the shape of tensor 'a' is too large"},
      {tensor("a", "[9223372036854775807,2,0]", "[0,0]"), "the shape of tensor 'a' is too large"},
      {tensor("a", "[1]", "[0,4]"), "it has 4 bytes after its last tensor"},
      {tensor("a", "[1]", "[4,8]"), "no tensor covers byte 0 of its data"},
      {tensor("a", "[2]", "[0,8]") + "," + tensor("b", "[1]", "[4,8]"), "two tensors overlap"},
      {tensor("a", "[1]", "[0,4]") + "," + tensor("b", "[1]", "[0,4]"), "two tensors overlap"},
  };
  for (const auto& [entries, reason] : cases) {
    EXPECT_THAT(complaint("{" + entries + "}", kEightBytes), HasSubstr(reason)) << entries;
  }
}

TEST(Safetensors, NamesTheTensorWhoseDtypeIsForeign) {
  EXPECT_THAT(complaint(R"({"w":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", kEightBytes),
              AllOf(HasSubstr("tensor 'w' has dtype 'F8_E4M3'"), HasSubstr("convert it to F32")));
}

TEST(Safetensors, MessagesStayOnOneShortLine) {
  const std::string name = R"(\u001b[31m\n)" + std::string(10'000, 'x');
  const std::string message =
      complaint(R"({")" + name + R"(":{"dtype":"X","shape":[],"data_offsets":[0,0]}})", "");
  EXPECT_THAT(message, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\x1b")), HasSubstr("has dtype 'X'")));
  EXPECT_LT(message.size(), 300U);
}

TEST(Safetensors, HeadKeepsTensorsAligned) {
  std::vector<FileTensor> tensors = {{"bytes", DType::u8, {3}, nullptr},
                                     {"b", DType::f32, {5}, nullptr},
                                     {"a", DType::i32, {}, nullptr},
                                     {"wide", DType::f64, {2, 2}, nullptr}};
  sort_for_file(tensors);
  const std::string head = safetensors_head({{"k", "\"\n\xff"}}, tensors);
  EXPECT_EQ(head.size() % 64, 0U);
  const std::string file = head + std::string(32 + 4 + 20 + 3, '\0');
  const char* data = file.data() + head.size();
  for (const FileTensor& tensor : load(file)) {
    EXPECT_EQ((reinterpret_cast<const char*>(tensor.data) - data) % size_of(tensor.dtype), 0U) << tensor.name;
  }
  EXPECT_EQ(parse_safetensors(file, "m").metadata.at("k"), "\"\n\xEF\xBF\xBD");
}

TEST(Safetensors, SurvivesGarbage) {
  const std::string good =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}})";
  ASSERT_EQ(complaint(good, kEightBytes), "");
  std::mt19937 random(1);
  const std::string alphabet =
      R"({}[]",:-.0189eE\u FUabdtypeshape_offsetstruenull)" + std::string("\0\xff\x80", 3);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string header = good;
    for (auto edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % header.size();
      const std::string piece(1 + random() % 3, alphabet[random() % alphabet.size()]);
      header.replace(at, random() % 3, piece);
    }
    refused += complaint(header, kEightBytes).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 15'000);
  for (int round = 0; round < 2'000; ++round) {
    std::string noise = "{";
    for (auto size = random() % 100; size > 0; --size) noise += static_cast<char>(random());
    EXPECT_NE(complaint(noise, ""), "");
  }
}

}  // namespace
}  // namespace nmt
