// Fuzz target: SentencePiece models.
#include "data/vocabulary/vocabulary.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/text/utf8.h"
#include "data/generated_text.h"
#include "data/vocabulary/protobuf.h"
#include "data/vocabulary/vocabulary_check.h"
#include "data/vocabulary/vocabulary_trainer.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_vocabulary {
namespace {

constexpr std::uint32_t kNormalizer = 3, kNormalizerRules = 2;  // fields of sentencepiece_model.proto

std::string vocabulary_bytes(const std::string& type, int size, const std::string& normalization,
                             bool byte_fallback = false) {
  return train_vocabulary({.inputs = {scratch_file("text", GeneratedText(1).text(200).target)},
                           .type = type,
                           .size = size,
                           .normalization = normalization,
                           .byte_fallback = byte_fallback,
                           .user_symbols = {"<x>"}})
      .vocabulary.bytes();
}

/// Returns a number as stored by protobuf.
std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

std::string bytes_field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

/// Removes the checksum that a model may end with; foreign models have none.
std::string without_checksum(const std::string& bytes) {
  const std::string model = bytes.substr(0, bytes.size() - std::min(bytes.size(), with_checksum("").size()));
  return with_checksum(model) == bytes ? model : bytes;
}

/// Returns normalization rules that replace "a" by "b": the size of the trie, its double array (see
/// sentencepiece.cpp), and the replacements.
std::string small_rules() {
  constexpr std::uint32_t kUnits = 256, kRoot = 2, kLeaf = 128, kHasValue = 1 << 8;
  std::array<std::uint32_t, kUnits> units;
  units.fill(1);  // labels that match nowhere
  units[kRoot ^ 1] = units[kLeaf ^ 1] = 2;
  units[0] = kRoot << 10 | 1;
  units[kRoot ^ 'a'] = (kRoot ^ 'a' ^ kLeaf) << 10 | kHasValue | 'a';
  units[kLeaf] = 1U << 31;
  const std::uint32_t size = sizeof units;
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) +
         std::string(reinterpret_cast<const char*>(units.data()), sizeof units) + std::string("b\0", 2);
}

std::vector<std::string> seeds() {
  return {vocabulary_bytes("unigram", 40, "identity"),
          vocabulary_bytes("bpe", 40, "identity"),
          vocabulary_bytes("word", 12, "identity"),
          vocabulary_bytes("char", 30, "identity"),
          vocabulary_bytes("unigram", 300, "identity", true),
          without_checksum(vocabulary_bytes("unigram", 40, "identity")) +
              bytes_field(kNormalizer, bytes_field(kNormalizerRules, small_rules()))};
}

std::vector<std::string> words() {
  return {"\xE2\x96\x81",
          "<unk>",
          "<s>",
          "</s>",
          "<0x41>",
          "\x18\x06",
          "\x18\x02",
          "\x15\xFF\xFF\xFF\x7F",
          "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};
}

/// Loads a vocabulary, encodes possible text, and decodes the results.
void load(const std::string& bytes) {
  static const std::string text = GeneratedText(1).text(3).target;
  const Vocabulary vocabulary = Vocabulary::from_bytes(bytes, "vocabulary");
  for (const std::string& line :
       {std::string(), text, std::string("\xEF\xBC\xA1\xCC\x88 <x>\xE2\x96\x81</s>\t\xF0\x9F\x98\x80  "),
        std::string(300, 'a')}) {
    const std::vector<int> ids = vocabulary.encode(line);
    for (const int id : ids) check(id >= 0 && id < vocabulary.size(), "ids are of the vocabulary");
    check(count_invalid_utf8(vocabulary.decode(ids)) == 0, "a translation is UTF-8");
    if (vocabulary.samples()) vocabulary.encode_sampled(line, 0.1);
  }
}

/// Returns the fields of a model, each preceded by its number.
Parts split(const std::string& bytes) {
  Parts parts;
  try {
    const std::string model = without_checksum(bytes);
    for (FieldReader field(model); field.next();) {
      parts.push_back(varint(field.number()).substr(0, 1) + std::string(field.bytes()));
    }
  } catch (const Error&) {  // the rest is not a field
  }
  return parts.empty() ? Parts{bytes} : parts;
}

std::string join(const Parts& parts) {
  std::string bytes;
  for (const std::string& part : parts) {
    if (!part.empty()) bytes += bytes_field(static_cast<unsigned char>(part[0]), part.substr(1));
  }
  return bytes;
}

}  // namespace
}  // namespace of_vocabulary

Target vocabulary_target() {
  using namespace of_vocabulary;
  return {"vocabulary", seeds, words, load, split, join};
}

}  // namespace nmt::fuzz
