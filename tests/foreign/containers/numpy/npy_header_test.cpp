#include "foreign/containers/numpy/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "foreign/containers/npy_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::npy_bytes;
using ::testing::StartsWith;

NpyHeader parse_npy(const std::string& bytes) {
  return parse_npy_header(bytes, "'a.npy' of 'm.npz'");
}

std::string complaint_of_header(const std::string& bytes) {
  return testing::complaint([&] { parse_npy(bytes); });
}

std::string dictionary(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
}

TEST(NpyHeader, TypesAndShapes) {
  for (const auto& [text, type] : std::vector<std::pair<std::string, ElementType>>{{"<f2", ElementType::f16},
                                                                                   {"<f4", ElementType::f32},
                                                                                   {"<f8", ElementType::f64},
                                                                                   {"|i1", ElementType::i8},
                                                                                   {"<i1", ElementType::i8},
                                                                                   {"<i2", ElementType::i16},
                                                                                   {"<i4", ElementType::i32},
                                                                                   {"<i8", ElementType::i64},
                                                                                   {"|u1", ElementType::u8},
                                                                                   {"<u2", ElementType::u16},
                                                                                   {"<u4", ElementType::u32},
                                                                                   {"<u8", ElementType::u64}})
    EXPECT_EQ(parse_npy(npy_bytes(dictionary(text, "()"), "")).type, type) << text;
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "()"), "")).shape, IsEmpty());
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "(7,)"), "")).shape, ElementsAre(7));
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "(2, 3)"), "")).shape, ElementsAre(2, 3));
  EXPECT_THAT(parse_npy(npy_bytes(dictionary("<f4", "( 2,3 , )"), "")).shape, ElementsAre(2, 3));
}

TEST(NpyHeader, VersionsAndSpaces) {
  const std::string spaced = "{\"shape\":(2,),'fortran_order' : False ,\"descr\":'<f4',}   \n";
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_THAT(parse_npy(npy_bytes(spaced, "", version)).shape, ElementsAre(2));
  for (const char version : {'\0', '\4'})
    EXPECT_THAT(complaint_of_header(npy_bytes(spaced, "", version)), HasSubstr("version"));
}

TEST(NpyHeader, WhatIsNotRead) {
  EXPECT_THAT(complaint_of_header("\x93NUMPX\1\0\0\0\0\0"), HasSubstr("not an array of NumPy"));
  EXPECT_THAT(complaint_of_header("\x93NUMPY\1"), HasSubstr("not an array of NumPy"));
  EXPECT_THAT(
      complaint_of_header(npy_bytes(dictionary(">f4", "(1,)"), "")),
      AllOf(StartsWith("cannot load 'a.npy' of 'm.npz'"), HasSubstr("'>f4'"), HasSubstr("little-endian")));
  EXPECT_THAT(complaint_of_header(npy_bytes(dictionary("<c8", "(1,)"), "")), HasSubstr("'<c8'"));
  EXPECT_THAT(
      complaint_of_header(npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "")),
      AllOf(HasSubstr("Fortran order"), HasSubstr("save it in C order")));
}

TEST(NpyHeader, DamagedDictionaries) {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "'{' is missing"},
           {"{", "a string is missing"},
           {"{}", "lacks descr"},
           {"{'descr': '<f4', 'fortran_order': False, }", "lacks descr"},
           {"{'descr': '<f4', 'descr': '<f4', }", "repeats 'descr'"},
           {"{'size': 1}", "unknown key 'size'"},
           {"{'descr': [('a', '<f4')]}", "a string is missing"},
           {"{'descr': '<f4}", "a string is missing"},
           {"{'fortran_order': None}", "neither True nor False"},
           {"{'shape': 3}", "'(' is missing"},
           {"{'shape': (3)}", "not a tuple"},
           {"{'shape': (-3,)}", "not made of numbers"},
           {"{'shape': (3L,)}", "not a tuple"},
           {"{'shape': (99999999999999999999,)}", "not made of numbers"},
           {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,)}", "too many"},
           {dictionary("<f4", "(1,)") + "x", "follows its dictionary"}}) {
    EXPECT_THAT(complaint_of_header(npy_bytes(text, "")), AllOf(HasSubstr("is damaged"), HasSubstr(reason)))
        << text;
  }
}

TEST(NpyHeader, IsWrittenAsMarianDoes) {
  EXPECT_EQ(npy_header({ElementType::f32, {1000, 64}}),
            npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 64), }      \n", ""));
  EXPECT_EQ(npy_header({ElementType::i8, {1536}}),
            npy_bytes("{'descr': '<i1', 'fortran_order': False, 'shape': (1536,), }         \n", ""));
  for (std::int64_t extent = 1; extent < 1'000'000'000'000; extent *= 10) {
    const std::string header = npy_header({ElementType::f64, {extent, extent}});
    EXPECT_EQ(header.size() % 16, 0U);
    EXPECT_THAT(parse_npy(header).shape, ElementsAre(extent, extent));
  }
  EXPECT_THAT(testing::complaint([] { npy_header({ElementType::bf16, {}}); }), HasSubstr("type bf16"));
}

}  // namespace
}  // namespace nmt
