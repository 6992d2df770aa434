#include "nn/files/foreign_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/small_vocabulary.h"

namespace nmt {
namespace {

using namespace std::string_literals;

/// Returns the beginning of a zip archive whose first file has this name.
std::string archive(const std::string& name) {
  return "PK\x03\x04"s + std::string(22, '\0') + static_cast<char>(name.size()) + '\0' + "\0\0"s + name +
         "data";
}

TEST(ForeignFile, IsKnownByItsBytes) {
  for (const auto& [bytes, kind] : std::vector<std::pair<std::string, std::string>>{
           {archive("encoder_l1_W.npy"), "an archive of NumPy (npz), as models of Marian are"},
           {archive("archive/data.pkl"), "a checkpoint of PyTorch"},
           {archive("letter.txt"), "a zip archive"},
           {"PK\x03\x04 and no more", "a zip archive"},
           {"PK\x05\x06"s + std::string(18, '\0'), "an empty zip archive"},
           {"\x80\x04\x95 and so on", "a pickle of Python"},
           {"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9"s, "a pickle of Python, as old checkpoints of PyTorch are"},
           {"\1\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"s, "a binary model of Marian"},
           {"\6\0\0\0\x10\0TransformerSpec\0\7\0"s, "a model of CTranslate2"},
           {"\xF5\x17\x34\x01\xD5\x48\x1A\xF1\0\0\0\0"s, "a shortlist of Marian, which `shortlist` takes"},
           {"\xBA\x16\x4F\x2F\x0C\0\0\0\x10\0\0\0"s,
            "a model of fastText, which `language_model` of nmt serve takes"},
           {"\x1f\x8b\x08\0\0\0\0\0\0\3"s, "packed with gzip; unpack it first"},
           {small_vocabulary().bytes(), "a vocabulary of SentencePiece"},
           {"d_model: 512\nheads: 8\n", "text"},
           {std::string(5000, '\n'), "text"},
           {"größer als acht", "text"},
           {"gr\xf6\xdf"
            "er als acht",
            "text in another encoding than UTF-8, such as Latin-1"},
           {"\x08\x08\x12\x07pytorch\x1a\x03n/a"s, "a model in ONNX"},
           {"\x08\x07\x12\0:\x80\x01\x0a\x10"s, "a model in ONNX"}}) {
    EXPECT_EQ(foreign_kind(bytes), kind);
  }
}

TEST(ForeignFile, SaysNothingOfOthers) {
  for (const std::string& bytes :
       {""s, "short"s, "\x40\0\0\0\0\0\0\0{\"a\":1}"s, "\7\6\5\4\3\2\1\0\1\2\3\4"s, std::string(100, '\xff'),
        std::string(100, '\0'), "\x08\x08\x12\x7fpytorch"s, "\x08\x08\x12\x07py\0orch:"s,
        "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0"s}) {
    EXPECT_EQ(foreign_kind(bytes), "");
  }
}

}  // namespace
}  // namespace nmt
