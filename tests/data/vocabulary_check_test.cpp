#include "data/vocabulary/vocabulary_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "common/error.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/protobuf.h"

namespace nmt {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kChecksumField = 12;

/// Returns a field that contains a message of fewer than 128 bytes.
std::string message_field(int number, const std::string& message) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(message.size())} + message;
}

std::string number_field(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

std::string score_field(float score) {
  return '\x15' + std::string(reinterpret_cast<const char*>(&score), sizeof score);
}

std::string piece(const std::string& text, const std::string& more = "") {
  return message_field(1, message_field(1, text) + more);
}

// The fields of every model other than its pieces.
const std::string kRest = message_field(2, number_field(3, 1)) + message_field(3, number_field(3, 1));

void expect_refused(const std::string& model, const char* reason) {
  EXPECT_THAT([&] { check_vocabulary(model); }, ThrowsMessage<Error>(HasSubstr(reason)));
}

TEST(VocabularyCheckTest, KnowsTheType) {
  EXPECT_EQ(check_vocabulary(small_vocabulary().bytes()), VocabularyType::word);
  EXPECT_EQ(check_vocabulary(piece("a") + kRest), VocabularyType::unigram);
  EXPECT_EQ(check_vocabulary(piece("a") + kRest + message_field(2, number_field(3, 2))), VocabularyType::bpe);
}

TEST(VocabularyCheckTest, TellsOfEveryChangedByteOfAModelWithAChecksum) {
  const std::string bytes = small_vocabulary("identity").bytes();
  ASSERT_LT(bytes.size(), 3000U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    EXPECT_THROW(Vocabulary::from_bytes(changed, "changed"), Error) << i;
    if (i + kChecksumField == bytes.size()) continue;  // complete except for the checksum
    EXPECT_THROW(Vocabulary::from_bytes(bytes.substr(0, i), "cut"), Error) << i;
  }
  EXPECT_THROW(Vocabulary::from_bytes(bytes + bytes, "twice"), Error);
}

TEST(VocabularyCheckTest, SaysThatTheChecksumIsWrong) {
  std::string model = with_checksum(piece("a") + piece("b") + kRest);
  EXPECT_NO_THROW(check_vocabulary(model));
  model[4] = 'c';
  expect_refused(model, "its checksum does not match its contents");
}

// Models from elsewhere have no checksum: SentencePiece must not get bytes that lead to undefined behavior.
TEST(VocabularyCheckTest, SurvivesChangesOfAModelWithoutAChecksum) {
  std::string bytes = small_vocabulary().bytes();
  bytes.resize(bytes.size() - kChecksumField);
  ASSERT_NO_THROW(Vocabulary::from_bytes(bytes, "model"));
  std::string text;
  for (int c = 0x20; c < 0x3400; ++c) {
    if (c >= 0x800) text += static_cast<char>(0xE0 | c >> 12);
    if (c >= 0x80) text += static_cast<char>((c >= 0x800 ? 0x80 : 0xC0) | (c >> 6 & 0x3F));
    text += static_cast<char>(c >= 0x80 ? 0x80 | (c & 0x3F) : c);
  }
  std::mt19937 random(3);
  int loaded = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string changed = bytes;
    changed[random() % changed.size()] ^= 1 << random() % 8;
    try {
      const Vocabulary vocabulary = Vocabulary::from_bytes(changed, "changed");
      ++loaded;
      vocabulary.decode(vocabulary.encode(text));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(loaded, 50);
  EXPECT_GT(refused, 50);
}

TEST(VocabularyCheckTest, RefusesPiecesThatCannotBe) {
  expect_refused(piece(""), "a piece is empty");
  expect_refused(piece("a\0b"s), "not valid UTF-8");
  expect_refused(piece("\xC3"), "not valid UTF-8");
  expect_refused(piece("a", score_field(std::numeric_limits<float>::quiet_NaN())), "a score is out of range");
  expect_refused(piece("a", score_field(-1e30F)), "a score is out of range");
  expect_refused(piece("a", number_field(3, 7)), "unknown type");
  expect_refused(piece("a", number_field(5, 7)), "unknown field");
  EXPECT_NO_THROW(check_vocabulary(piece("a", score_field(-5) + number_field(3, 6)) + kRest));
}

TEST(VocabularyCheckTest, RefusesPiecesThatAreTooDeepForATrie) {
  const auto model = [](std::size_t bytes) {
    return bytes_field(1, bytes_field(1, std::string(bytes, 'a'))) + kRest;
  };
  EXPECT_NO_THROW(check_vocabulary(model(kLongestPiece)));
  expect_refused(model(kLongestPiece + 1), "a piece has 4097 bytes, more than 4096");
  expect_refused(model(1'000'000), "a piece has 1000000 bytes, more than 4096");
}

TEST(VocabularyCheckTest, RefusesOtherParts) {
  expect_refused(kRest, "it has no pieces");
  expect_refused(piece("a"), "it is cut off");
  expect_refused(piece("a") + message_field(6, "x"), "an unknown part");
  expect_refused(piece("a") + number_field(3, 1), "not a message");
  expect_refused(piece("a") + message_field(2, number_field(3, 5)), "its type is unknown");
  expect_refused(piece("a") + message_field(3, message_field(2, "abc")), "its rules are cut off");
  expect_refused(piece("a") + message_field(5, message_field(2, "abc")), "its rules are cut off");
  expect_refused(with_checksum(piece("a")) + piece("b"), "not in its place");
}

}  // namespace
}  // namespace nmt
