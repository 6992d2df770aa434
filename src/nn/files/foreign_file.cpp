#include "nn/files/foreign_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/text/utf8.h"
#include "data/vocabulary/vocabulary_check.h"

namespace nmt {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeaderLength = 8;  // bytes before the header of a safetensors file

/// Files that are recognized by their first bytes.
constexpr std::array kBeginnings = {
    std::pair{"\x89nmtc\r\n"sv, "a packed corpus"sv},
    std::pair{"\x80\x02"sv, "a pickle of Python, as old checkpoints of PyTorch are"sv},
    std::pair{"\x80\x03"sv, "a pickle of Python"sv},
    std::pair{"\x80\x04"sv, "a pickle of Python"sv},
    std::pair{"\x80\x05"sv, "a pickle of Python"sv},
    std::pair{"PK\x05\x06"sv, "an empty zip archive"sv},
    std::pair{"\x93NUMPY"sv, "an array of NumPy"sv},
    std::pair{"\x89HDF\r\n"sv, "an HDF5 file, as models of Keras are"sv},
    std::pair{"GGUF"sv, "a GGUF file"sv},
    std::pair{"\xF5\x17\x34\x01\xD5\x48\x1A\xF1"sv, "a shortlist of Marian, which `shortlist` takes"sv},
    std::pair{"\xBA\x16\x4F\x2F"sv, "a model of fastText, which `language_model` of nmt serve takes"sv},
    std::pair{"\x89PNG"sv, "a picture (PNG)"sv},
    std::pair{"%PDF"sv, "a PDF document"sv},
    std::pair{"\x1F\x8B"sv, "packed with gzip; unpack it first"sv},
    std::pair{"\xFD"
              "7zXZ"sv,
              "packed with xz; unpack it first"sv},
    std::pair{"\x28\xB5\x2F\xFD"sv, "packed with zstd; unpack it first"sv},
    std::pair{"BZh"sv, "packed with bzip2; unpack it first"sv},
};

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// Recognizes a zip archive by the name of its first file.
std::string_view kind_of_archive(std::string_view bytes) {
  constexpr std::size_t kNameLength = 26, kName = 30;
  const std::string_view name = bytes.size() < kName
                                    ? std::string_view()
                                    : bytes.substr(kName, number_at<std::uint16_t>(bytes, kNameLength));
  if (name.ends_with(".npy")) return "an archive of NumPy (npz), as models of Marian are";
  if (name.find("data.pkl") != std::string_view::npos) return "a checkpoint of PyTorch";
  return "a zip archive";
}

/// Recognizes Marian's binary format: its version and the number of tensors.
bool is_of_marian(std::string_view bytes) {
  constexpr std::uint64_t kMostTensors = 100'000;
  const auto tensors = number_at<std::uint64_t>(bytes, sizeof(std::uint64_t));
  return number_at<std::uint64_t>(bytes, 0) == 1 && tensors > 0 && tensors < kMostTensors;
}

/// Recognizes the binary format of CTranslate2: its version, and the name of a specification with its length.
bool is_of_ctranslate2(std::string_view bytes) {
  constexpr std::uint32_t kMostVersion = 100;
  constexpr std::size_t kLength = 4, kName = 6, kMostLength = 100;
  const auto version = number_at<std::uint32_t>(bytes, 0);
  const auto length = number_at<std::uint16_t>(bytes, kLength);
  return version > 0 && version < kMostVersion && length < kMostLength && bytes.size() > kName &&
         bytes.substr(kName, length).find("Spec\0"sv) != std::string_view::npos;
}

/// Recognizes ONNX, a protobuf message: the version of its format, the name of the program that wrote it, and
/// one of the fields that may follow.
bool is_of_onnx(std::string_view bytes) {
  constexpr char kVersion = 0x08, kProducer = 0x12, kMostVersion = 100;
  constexpr std::size_t kName = 4, kMostLength = 100;
  constexpr std::string_view kNextFields = "\x1A\x22\x28\x32\x3A\x42";
  if (bytes[0] != kVersion || bytes[1] <= 0 || bytes[1] > kMostVersion || bytes[2] != kProducer) return false;
  const auto length = static_cast<unsigned char>(bytes[3]);
  if (length > kMostLength || bytes.size() <= kName + length) return false;
  return kNextFields.find(bytes[kName + length]) != std::string_view::npos &&
         std::ranges::all_of(bytes.substr(kName, length), [](char c) { return c >= ' ' && c <= '~'; });
}

/// Recognizes text by its beginning, whose last character may be cut off. Text in an encoding other than
/// UTF-8 is recognized if it is mostly ASCII.
std::string_view kind_of_text(std::string_view bytes) {
  constexpr std::size_t kLooked = 4096;
  const std::string_view begin = beginning_of(bytes, kLooked);
  const auto is_control = [](unsigned char c) { return c < ' ' && c != '\t' && c != '\n' && c != '\r'; };
  if (std::ranges::any_of(begin, is_control)) return {};
  if (count_invalid_utf8(begin) == 0) return "text";
  const auto is_ascii = [](unsigned char c) { return c < 0x80; };
  if (std::ranges::count_if(begin, is_ascii) < std::ssize(begin) / 4 * 3) return {};
  return "text in another encoding than UTF-8, such as Latin-1";
}

}  // namespace

bool looks_like_safetensors(std::string_view bytes) {
  return bytes.size() > kHeaderLength && bytes[kHeaderLength] == '{' && bytes[kHeaderLength - 1] == '\0';
}

std::string_view foreign_kind(std::string_view bytes) {
  if (bytes.size() <= kHeaderLength || looks_like_safetensors(bytes)) return {};
  if (bytes.starts_with("PK\x03\x04"sv)) return kind_of_archive(bytes);
  for (const auto& [beginning, kind] : kBeginnings) {
    if (bytes.starts_with(beginning)) return kind;
  }
  if (looks_like_vocabulary(bytes)) return "a vocabulary of SentencePiece";
  if (is_of_marian(bytes)) return "a binary model of Marian";
  if (is_of_ctranslate2(bytes)) return "a model of CTranslate2";
  if (is_of_onnx(bytes)) return "a model in ONNX";
  return kind_of_text(bytes);
}

}  // namespace nmt
