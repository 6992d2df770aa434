#include "foreign/containers/marian_binary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/io/atomic_file.h"
#include "common/io/byte_reader.h"
#include "foreign/containers/marian_config.h"
#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

constexpr std::uint64_t kMarianVersion = 1, kEncryptedVersion = 2;
constexpr std::uint64_t kMarianAlignment = 256;

struct MarianType {
  std::uint64_t value;
  ElementType type;
  bool is_quantized = false;
};

constexpr std::array<MarianType, 15> kMarianTypes = {{{0x404, ElementType::f32},
                                                      {0x402, ElementType::f16},
                                                      {0x408, ElementType::f64},
                                                      {0x101, ElementType::i8},
                                                      {0x102, ElementType::i16},
                                                      {0x104, ElementType::i32},
                                                      {0x108, ElementType::i64},
                                                      {0x201, ElementType::u8},
                                                      {0x202, ElementType::u16},
                                                      {0x204, ElementType::u32},
                                                      {0x208, ElementType::u64},
                                                      {0x10001, ElementType::i8, true},    // intgemm8
                                                      {0x10002, ElementType::i16, true},   // intgemm16
                                                      {0x4101, ElementType::i8, true},     // both as numbered
                                                      {0x4102, ElementType::i16, true}}};  // by browsermt

/// Types whose layout depends on the processor.
constexpr std::array<std::pair<std::uint64_t, const char*>, 10> kLayouts = {{{0x802, "packed16"},
                                                                             {0x1801, "packed8avx2"},
                                                                             {0x2801, "packed8avx512"},
                                                                             {0x18001, "intgemm8ssse3"},
                                                                             {0x11001, "intgemm8avx2"},
                                                                             {0x12001, "intgemm8avx512"},
                                                                             {0x13001, "intgemm8avx512vnni"},
                                                                             {0x14002, "intgemm16sse2"},
                                                                             {0x11002, "intgemm16avx2"},
                                                                             {0x12002, "intgemm16avx512"}}};

struct MarianHeader {
  std::uint64_t name_bytes, type, dimensions, data_bytes;
};

class MarianBinary : public MappedTensors {
 public:
  MarianBinary(MemoryMap map, const std::string& name) : MappedTensors(std::move(map), name) {
    ByteReader reader(file(), this->path());
    check_version(reader);
    const std::vector<MarianHeader> headers = headers_in(reader);
    std::vector<std::string> names;
    std::vector<Entry> entries;
    for (const MarianHeader& header : headers) names.push_back(name_in(reader, header));
    for (const MarianHeader& header : headers)
      entries.push_back(entry_in(reader, header, names[entries.size()]));
    reader.bytes(reader.number<std::uint64_t>());
    for (std::size_t i = 0; i < headers.size(); ++i)
      add_data(names[i], std::move(entries[i]), reader.bytes(headers[i].data_bytes));
    reader.expect_end("tensor");
  }

 private:
  void check_version(ByteReader& reader) const {
    const auto version = reader.number<std::uint64_t>();
    if (version == kMarianVersion) return;
    if (version == kEncryptedVersion) {
      throw Error(
          "cannot load '{}': it is of version 2 of Marian's binary format, which is encrypted; decrypt it "
          "or use the model in npz",
          path());
    }
    throw Error("'{}' is not a binary model of Marian: it begins with {} and not with 1; name another file",
                path(), version);
  }

  std::vector<MarianHeader> headers_in(ByteReader& reader) const {
    const std::uint64_t count = checked_count(reader.number<std::uint64_t>());
    const std::string_view bytes = reader.records(count, sizeof(MarianHeader));
    std::vector<MarianHeader> headers(count);
    if (count > 0) std::memcpy(headers.data(), bytes.data(), bytes.size());
    return headers;
  }

  std::string name_in(ByteReader& reader, const MarianHeader& header) const {
    const std::string_view name = reader.bytes(header.name_bytes);
    if (name.empty() || name.find('\0') != name.size() - 1)
      throw damaged(path(), "a name in it does not end with a zero");
    return std::string(name.substr(0, name.size() - 1));
  }

  Entry entry_in(ByteReader& reader, const MarianHeader& header, const std::string& name) const {
    const MarianType& type = type_of(header.type, name);
    Entry entry{.type = type.type, .shape = {}, .is_quantized = type.is_quantized};
    ByteReader shape(reader.records(header.dimensions, sizeof(std::int32_t)), path());
    while (shape.remaining() > 0) entry.shape.push_back(shape.number<std::int32_t>());
    entry.is_transposed = type.is_quantized && name.find("Wemb") == std::string::npos;
    if (type.is_quantized && entry.shape.size() != 2) {
      throw damaged(path(), "quantized weights " + in_quotes(name) + " are not a matrix");
    }
    return entry;
  }

  const MarianType& type_of(std::uint64_t value, const std::string& name) const {
    const auto* known = std::ranges::find(kMarianTypes, value, &MarianType::value);
    if (known != kMarianTypes.end()) return *known;
    const auto* layout = std::ranges::find(kLayouts, value, [](const auto& pair) { return pair.first; });
    if (layout == kLayouts.end()) {
      throw damaged(path(), fmt::format("tensor {} is of the unknown type {:#x}", in_quotes(name), value));
    }
    throw Error(
        "cannot load '{}': tensor {} is {}, laid out for one kind of processor; make the file again from the "
        "npz, with marian-conv -g float32 or -g intgemm8",
        path(), in_quotes(name), layout->second);
  }

  void add_data(const std::string& name, Entry entry, std::string_view data) {
    const std::size_t further = entry.is_quantized ? sizeof(float) : 0;
    add(name, std::move(entry), data);
    if (data.size() < find(name)->bytes() + further) {
      throw damaged(path(), "the multiplier of quantized weights " + in_quotes(name) + " is missing");
    }
  }

  std::vector<float> multipliers(const std::string& name) const override {
    float multiplier = 0;
    std::memcpy(&multiplier, bytes_at(name).data() + find(name)->bytes(), sizeof multiplier);
    return {multiplier};
  }
};

std::uint64_t padded(std::uint64_t size) {
  return (size + kMarianAlignment - 1) / kMarianAlignment * kMarianAlignment;
}

std::uint64_t marian_value_of(ElementType type) {
  const auto* known = std::ranges::find(kMarianTypes, type, &MarianType::type);
  if (known == kMarianTypes.end()) throw Error("files of Marian have no elements of type {}", name_of(type));
  return known->value;
}

/// Returns everything before the data.
std::string head_of(const std::vector<OutputTensor>& tensors) {
  std::string head;
  append_numbers(head, kMarianVersion);
  append_numbers(head, std::uint64_t{tensors.size()});
  for (const OutputTensor& tensor : tensors) {
    append_numbers(head, MarianHeader{tensor.name.size() + 1, marian_value_of(tensor.type),
                                      tensor.shape.size(), padded(tensor.bytes())});
  }
  for (const OutputTensor& tensor : tensors) head.append(tensor.name.c_str(), tensor.name.size() + 1);
  for (const OutputTensor& tensor : tensors)
    for (const std::int64_t extent : tensor.shape) append_numbers(head, static_cast<std::int32_t>(extent));
  // Padding is always at least one byte, so that it may be all of 256 bytes.
  const std::uint64_t begin =
      ((head.size() + sizeof(std::uint64_t)) / kMarianAlignment + 1) * kMarianAlignment;
  append_numbers(head, begin - head.size() - sizeof(std::uint64_t));
  head.resize(begin, '\0');
  return head;
}

}  // namespace

std::unique_ptr<TensorFile> open_marian_binary(const std::string& path) {
  return marian_binary_in(map_file(path), path);
}

std::unique_ptr<TensorFile> marian_binary_in(MemoryMap map, const std::string& name) {
  return std::make_unique<MarianBinary>(std::move(map), name);
}

void write_marian_binary(const std::string& path, std::vector<OutputTensor> tensors,
                         const std::string& config) {
  sort_by_name(tensors, path);
  tensors.push_back(marian_config_tensor(config));
  AtomicFile file(path);
  file.write(head_of(tensors));
  for (const OutputTensor& tensor : tensors) {
    tensor.each_part([&](const std::vector<std::byte>& data) { file.write(data.data(), data.size()); });
    const std::vector<std::byte> padding(padded(tensor.bytes()) - tensor.bytes());
    file.write(padding.data(), padding.size());
  }
  file.commit();
}

}  // namespace nmt
