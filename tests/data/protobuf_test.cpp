#include "data/vocabulary/protobuf.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using namespace std::string_literals;

TEST(ProtobufTest, ReadsFieldsOfEveryType) {
  const std::string message =
      varint_field(1, 300) + bytes_field(2, "abc") + fixed32_field(3, 1) + fixed64_field(300, 7);
  EXPECT_TRUE(message.starts_with("\x08\xAC\x02"s + "\x12\x03" + "abc" + "\x1D\x01\x00\x00\x00"s));
  FieldReader field(message);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 1U);
  EXPECT_EQ(field.type(), WireType::varint);
  EXPECT_EQ(field.value(), 300U);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 2U);
  EXPECT_EQ(field.type(), WireType::bytes);
  EXPECT_EQ(field.bytes(), "abc");
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 3U);
  EXPECT_EQ(field.type(), WireType::fixed32);
  EXPECT_EQ(field.value(), 1U);
  EXPECT_FALSE(field.rest().empty());
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 300U);
  EXPECT_EQ(field.type(), WireType::fixed64);
  EXPECT_EQ(field.value(), 7U);
  EXPECT_TRUE(field.rest().empty());
  EXPECT_FALSE(field.next());
}

TEST(ProtobufTest, RefusesWhatIsCutOffOrNoMessage) {
  for (const std::string& message :
       {"\x08"s, "\x08\x80"s, "\x12\x04" + "abc"s, "\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s,
        "\x1D\x01\x00"s, "\x19\x01"s, "\x00\x01"s, "\x0B"s, "\x0C"s, "\x0F"s,
        "\x08" + std::string(11, '\xFF'), "\x88\x80\x80\x80\x80\x01\x01"s}) {
    EXPECT_THROW(FieldReader(message).next(), Error) << ::testing::PrintToString(message);
  }
}

}  // namespace
}  // namespace nmt
