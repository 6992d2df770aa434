#include "foreign/containers/pytorch/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/repeated.h"
#include "foreign/containers/torch_bytes.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::pickle;
using testing::pickled_global;
using testing::pickled_number;
using testing::pickled_ordered_dict;
using testing::pickled_text;
using testing::pickled_tuple;
using testing::raw;
using testing::repeated;

/// Returns the value of a pickle; for values that are not sequences.
PickledValue value_of(const std::string& value) {
  const std::string bytes = pickle(value), path = "m.bin";
  ByteReader reader(bytes, path);
  return Pickle(reader, path).value();
}

std::string complaint_of_pickle(const std::string& value) {
  return testing::complaint([&] { value_of(value); });
}

TEST(Pickle, Literals) {
  EXPECT_EQ(value_of("N"), PickledValue());
  EXPECT_EQ(value_of("\x88"), PickledValue(true));
  EXPECT_EQ(value_of("\x89"), PickledValue(false));
  EXPECT_EQ(value_of("J" + raw(-70'000)), PickledValue(std::int64_t{-70'000}));
  EXPECT_EQ(value_of("K\xFF"), PickledValue(std::int64_t{255}));
  EXPECT_EQ(value_of("M\xFF\xFF"), PickledValue(std::int64_t{65'535}));
  EXPECT_EQ(value_of(std::string("\x8A\0", 2)), PickledValue(std::int64_t{0}));
  EXPECT_EQ(value_of("\x8A\1\xFF"), PickledValue(std::int64_t{-1}));
  EXPECT_EQ(value_of(std::string("\x8A\2\xFF\0", 4)), PickledValue(std::int64_t{255}));
  EXPECT_EQ(value_of(pickled_number(std::int64_t{1} << 40)), PickledValue(std::int64_t{1} << 40));
  EXPECT_EQ(value_of(std::string("G\x3F\xF8\0\0\0\0\0\0", 9)), PickledValue(1.5));
  EXPECT_TRUE(std::holds_alternative<std::string_view>(value_of(pickled_text("text"))));
  EXPECT_TRUE(std::holds_alternative<std::string_view>(value_of("U\4text")));
}

TEST(Pickle, SequencesAndMemo) {
  // [1, (2, 2), {}], where the second 2 comes from the memo
  const std::string zero(1, '\0');
  const std::string bytes = pickle("](K\1K\2q" + zero + "h" + zero + "\x86}e");
  const std::string path = "m.bin";
  ByteReader reader(bytes, path);
  const Pickle whole(reader, path);
  const auto* list = std::get<PickledSequence*>(whole.value());
  ASSERT_EQ(list->items.size(), 3U);
  const auto* tuple = std::get<PickledSequence*>(list->items[1]);
  EXPECT_EQ(tuple->kind, PickledSequence::Kind::tuple);
  EXPECT_EQ(tuple->items, std::vector<PickledValue>(2, PickledValue(std::int64_t{2})));
  EXPECT_TRUE(std::get<PickledSequence*>(list->items[2])->is_dict());
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(Pickle, OpcodesThatCouldDoSomethingAreNamed) {
  for (const auto& [opcode, name] : std::vector<std::pair<std::string, std::string>>{{"o", "OBJ"},
                                                                                     {"i", "INST"},
                                                                                     {"\x81", "NEWOBJ"},
                                                                                     {"\x82", "EXT1"},
                                                                                     {"\x93", "STACK_GLOBAL"},
                                                                                     {"\x95", "FRAME"},
                                                                                     {"P", "PERSID"},
                                                                                     {"2", "DUP"},
                                                                                     {"\xFF", "0xff"}})
    EXPECT_THAT(complaint_of_pickle(opcode),
                AllOf(HasSubstr("the opcode " + name + ","), HasSubstr("save only the state_dict()")));
  EXPECT_THAT(complaint_of_pickle("\x80\4"), HasSubstr("protocol 4"));
}

TEST(Pickle, GlobalsThatCouldDoSomethingAreNamed) {
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                        {"builtins", "eval"},
                                                        {"torch.storage", "_load_from_bytes"},
                                                        {"argparse", "Namespace"},
                                                        {"torch", "FloatStorage "},
                                                        {"collections", "OrderedDict.fromkeys"}})
    EXPECT_THAT(complaint_of_pickle(pickled_global(module, name)),
                HasSubstr("asks for '" + module + " " + name + "'"));
  EXPECT_THAT(complaint_of_pickle("c" + std::string(1000, 'x')), HasSubstr("line feed"));
}

TEST(Pickle, CallsOfWhatIsKnownWithAnythingElse) {
  const std::string tensor = pickled_global("torch._utils", "_rebuild_tensor_v2"),
                    storage = pickled_global("torch", "FloatStorage");
  for (const std::string& value :
       {pickled_global("collections", "OrderedDict") + pickled_tuple({"K\1"}) + "R", storage + ")R",
        tensor + ")R", tensor + pickled_tuple({"N", "N", "N", "N", "N", "N"}) + "R",
        pickled_global("torch._utils", "_rebuild_parameter") + pickled_tuple({"N", "\x88", "}"}) + "R",
        std::string("K\1)R"), storage + "K\1R", pickled_text("storage") + "Q",
        pickled_tuple({pickled_text("storage"), storage}) + "Q",
        pickled_tuple({pickled_text("module"), storage, pickled_text("0"), pickled_text("cpu"), "K\1"}) + "Q",
        pickled_tuple(
            {pickled_text("storage"), storage, pickled_text("0"), pickled_text("cpu"), pickled_number(-1)}) +
            "Q",
        pickled_tuple(
            {pickled_text("storage"), storage, pickled_text("0"), pickled_text("cpu"), "K\1", ")"}) +
            "Q",
        std::string("K\1}b"), pickled_ordered_dict() + "K\1b"})
    EXPECT_THAT(complaint_of_pickle(value), AllOf(HasSubstr("is damaged"), HasSubstr("in its pickle")))
        << value;
}

TEST(Pickle, StacksThatAreEmpty) {
  const std::string zero(1, '\0');
  for (const std::string& value : std::vector<std::string>{
           "",       "t",     "u",          "e",       "s",        "a",        "R",       "b",
           "Q",      "\x85",  "\x87",       "K\1\x86", "q" + zero, "h" + zero, "K\1qX",   "(K\1",
           "](K\1a", "K\1(s", "K\1K\2K\3s", "}(K\1u",  "}K\1a",    "]K\1K\1s", "(" + zero})
    EXPECT_NE(complaint_of_pickle(value), "") << value;
}

TEST(Pickle, LongIntegers) {
  EXPECT_THAT(complaint_of_pickle("\x8A\x09" + std::string(9, '\1')), HasSubstr("more than 64 bits"));
}

TEST(Pickle, WhatTakesTooMuch) {
  constexpr int kMany = 600'000;
  EXPECT_THAT(complaint_of_pickle(repeated("N", kMany)), HasSubstr("too much on its stack"));
  EXPECT_THAT(complaint_of_pickle(repeated("(", kMany)), HasSubstr("too many marks"));
  EXPECT_THAT(complaint_of_pickle("]" + repeated("}a", kMany)), HasSubstr("too many values"));
  EXPECT_THAT(complaint_of_pickle("(" + repeated("(" + repeated("N", 1000) + "t", 600)),
              HasSubstr("too many values"));
  std::string memo = "N";
  for (int i = 0; i < kMany; ++i) memo += "r" + raw(i);
  EXPECT_THAT(complaint_of_pickle(memo), HasSubstr("remembers too much"));
  EXPECT_THAT(complaint_of_pickle("X" + raw(std::uint32_t{0xFFFFFFFF})), HasSubstr("it ends where"));
}

TEST(Pickle, SequencesThatHoldThemselves) {
  // A list that contains itself.
  EXPECT_EQ(complaint_of_pickle("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a"), "");
  EXPECT_EQ(complaint_of_pickle(repeated("(", 1000) + repeated("t", 1000)), "");
}

}  // namespace
}  // namespace nmt
