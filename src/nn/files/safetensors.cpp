#include "nn/files/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "common/text/number.h"
#include "common/text/strict_json.h"

namespace nmt {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kByteAlignment = 64;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the limit of the format's own library
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kMostMetadata = 1000;
constexpr const char* kMetadata = "__metadata__";
constexpr std::array<std::pair<const char*, DType>, 7> kDTypes = {{{"F64", DType::f64},
                                                                   {"F32", DType::f32},
                                                                   {"BF16", DType::bf16},
                                                                   {"F16", DType::f16},
                                                                   {"I32", DType::i32},
                                                                   {"I8", DType::i8},
                                                                   {"U8", DType::u8}}};

/// Collects the header's JSON while it is parsed: an object of tensors, each an object with three fields, and
/// the metadata, an object of strings.
class HeaderReader : public StrictJson {
 public:
  HeaderReader(Safetensors& out, const std::string& path) : out_(out), path_(path) {}

  bool start_object(std::size_t /*size*/) override {
    if (++depth_ > 2 || in_array_) unexpected("an object");
    return true;
  }

  bool end_object() override {
    if (--depth_ == 1 && !in_metadata() && fields_.size() != 3) {
      fail("the header lacks dtype, shape or data_offsets of tensor " + in_quotes(name_));
    }
    return true;
  }

  bool key(std::string& text) override {
    if (depth_ == 1) {
      name_ = text;
      fields_.clear();
      const bool fresh =
          in_metadata() ? !std::exchange(metadata_seen_, true) : out_.entries.try_emplace(name_).second;
      if (!fresh) fail("the header has two entries " + in_quotes(name_));
    } else {
      field_ = text;
      if (!fields_.emplace(field_, 0).second) fail("the header repeats " + in_quotes(field_) + where());
      if (fields_.size() > kMostMetadata) fail("the header has too many metadata");
      if (!in_metadata() && field_ != "dtype" && field_ != "shape" && field_ != "data_offsets") {
        fail("the header has an unknown field " + in_quotes(field_) + where());
      }
    }
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ == 2 && in_metadata()) {
      out_.metadata[field_] = text;
    } else if (depth_ == 2 && field_ == "dtype") {
      entry().dtype = text;
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (depth_ != 2 || in_array_ || in_metadata() || field_ == "dtype") unexpected("a list");
    in_array_ = true;
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    if (!in_array_) unexpected("a number");
    if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) unexpected("a huge number");
    std::size_t& count = fields_[field_];
    if (++count > (field_ == "shape" ? kMostDimensions : 2)) unexpected("too many numbers");
    if (field_ == "shape") {
      entry().shape.push_back(static_cast<std::int64_t>(number));
    } else {
      (count == 1 ? entry().begin : entry().end) = number;
    }
    return true;
  }

  bool end_array() override {
    in_array_ = false;
    if (field_ == "data_offsets" && fields_[field_] != 2) unexpected("too few numbers");
    return true;
  }

 private:
  bool in_metadata() const { return name_ == kMetadata; }
  SafetensorsEntry& entry() { return out_.entries[name_]; }

  std::string where() const { return in_metadata() ? " in its metadata" : " of tensor " + in_quotes(name_); }

  [[noreturn]] void fail(const std::string& what) const { throw damaged(path_, what); }
  DamagedFile unfit(const char* what) const override {
    const std::string place =
        depth_ < 2 ? " where tensors are expected" : " for " + in_quotes(field_) + where();
    return damaged(path_, "the header holds " + std::string(what) + place);
  }
  DamagedFile broken(std::size_t position) const override {
    return damaged(path_, "the header is not valid JSON at its byte " + std::to_string(position));
  }

  Safetensors& out_;
  const std::string& path_;
  int depth_ = 0;
  bool in_array_ = false;
  bool metadata_seen_ = false;
  std::string name_, field_;                   // the current entry and field
  std::map<std::string, std::size_t> fields_;  // of the current entry, with current lengths of lists
};

DType dtype_of_entry(const std::string& name, const SafetensorsEntry& entry, const std::string& path) {
  for (const auto& [text, dtype] : kDTypes) {
    if (entry.dtype == text) return dtype;
  }
  throw Error(
      "cannot load '{}': tensor {} has dtype {}, and nmt reads F64, F32, BF16, F16, I32, I8 and U8; convert "
      "it to F32",
      path, in_quotes(name), in_quotes(entry.dtype));
}

/// Returns the number of bytes that shape and dtype require. Throws Error if the number overflows.
std::uint64_t expected_bytes(const FileTensor& tensor, const std::string& path) {
  auto bytes = static_cast<std::int64_t>(size_of(tensor.dtype));
  for (const std::int64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      throw damaged(path, "the shape of tensor " + in_quotes(tensor.name) + " is too large");
    }
  }
  return static_cast<std::uint64_t>(bytes);
}

/// Checks that the tensors cover the data from the first byte to the last without gap or overlap.
void check_coverage(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans, std::uint64_t size,
                    const std::string& path) {
  std::sort(spans.begin(), spans.end());
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : spans) {
    if (begin < covered) throw damaged(path, "two tensors overlap");
    if (begin > covered) throw damaged(path, fmt::format("no tensor covers byte {} of its data", covered));
    covered = end;
  }
  if (covered != size) {
    throw damaged(path, fmt::format("it has {} after its last tensor", count_of(size - covered, "byte")));
  }
}

}  // namespace

std::int64_t FileTensor::size() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

Safetensors parse_safetensors(std::string_view file, const std::string& path) {
  std::uint64_t length = 0;
  if (file.size() < kLengthBytes) throw damaged(path, "it ends after " + count_of(file.size(), "byte"));
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMostHeaderBytes) {
    throw damaged(path, "it does not begin like a safetensors file, with the length of its header");
  }
  if (length > file.size() - kLengthBytes) {
    throw damaged(
        path, fmt::format("it ends after {} of {} bytes of its header", file.size() - kLengthBytes, length));
  }
  Safetensors out;
  out.header = file.substr(kLengthBytes, length);
  out.data = file.substr(kLengthBytes + length);
  if (!out.header.starts_with('{')) throw damaged(path, "its header is not a JSON object");
  HeaderReader reader(out, path);
  nlohmann::json::sax_parse(out.header.begin(), out.header.end(), &reader);
  return out;
}

std::vector<FileTensor> locate_tensors(const Safetensors& file, const std::string& path) {
  std::vector<FileTensor> tensors;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const auto& [name, entry] : file.entries) {
    FileTensor tensor{name, dtype_of_entry(name, entry, path), entry.shape, nullptr};
    if (entry.end > file.data.size()) {
      throw damaged(path, fmt::format("it ends after {} of its data, but tensor {} reaches to byte {}",
                                      count_of(file.data.size(), "byte"), in_quotes(name), entry.end));
    }
    if (entry.begin > entry.end || entry.end - entry.begin != expected_bytes(tensor, path)) {
      throw damaged(path, "the offsets of tensor " + in_quotes(name) + " do not fit its shape and dtype");
    }
    tensor.data = reinterpret_cast<const std::byte*>(file.data.data()) + entry.begin;
    spans.emplace_back(entry.begin, entry.end);
    tensors.push_back(std::move(tensor));
  }
  check_coverage(std::move(spans), file.data.size(), path);
  return tensors;
}

void sort_for_file(std::vector<FileTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const FileTensor& a, const FileTensor& b) {
    return size_of(a.dtype) != size_of(b.dtype) ? size_of(a.dtype) > size_of(b.dtype) : a.name < b.name;
  });
}

std::string safetensors_head(const std::map<std::string, std::string>& metadata,
                             const std::vector<FileTensor>& tensors) {
  nlohmann::json header;  // keys are sorted
  header[kMetadata] = metadata;
  std::uint64_t offset = 0;
  for (const FileTensor& tensor : tensors) {
    const auto* named = std::find_if(kDTypes.begin(), kDTypes.end(),
                                     [&](const auto& entry) { return entry.second == tensor.dtype; });
    header[tensor.name] = {{"dtype", named->first},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes()}}};
    offset += tensor.bytes();
  }
  // Paths in a configuration may contain any bytes, but JSON is UTF-8: invalid bytes become U+FFFD.
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::size_t unpadded = kLengthBytes + text.size();
  text.append((kByteAlignment - unpadded % kByteAlignment) % kByteAlignment, ' ');
  const std::uint64_t length = text.size();
  text.insert(0, reinterpret_cast<const char*>(&length), kLengthBytes);
  return text;
}

DamagedFile damaged(const std::string& path, const std::string& what) {
  return DamagedFile("'{}' is damaged: {}; copy it again or use another checkpoint", path, what);
}

std::string in_quotes(const std::string& text) {
  constexpr std::size_t kMostCharacters = 100;
  const std::string escaped =
      nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const std::string inner = escaped.substr(1, escaped.size() - 2);
  return inner.size() <= kMostCharacters ? "'" + inner + "'"
                                         : "'" + inner.substr(0, kMostCharacters) + "...'";
}

}  // namespace nmt
