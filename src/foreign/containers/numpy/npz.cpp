#include "foreign/containers/numpy/npz.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "foreign/containers/marian_config.h"
#include "foreign/containers/zip_archive.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNpyMagic = "\x93NUMPY"sv;
constexpr std::size_t kNpyLength = 8, kShortNpyPrefix = 10;   // place of the length; prefix of version 1
constexpr std::size_t kMostNpyHeader = std::size_t{1} << 16;  // more than any array of numbers needs
constexpr std::size_t kMostNpyDimensions = 32;                // NumPy's own limit

constexpr std::array<std::pair<std::string_view, ElementType>, 13> kNpyTypes = {{{"<f4", ElementType::f32},
                                                                                 {"<f2", ElementType::f16},
                                                                                 {"<f8", ElementType::f64},
                                                                                 {"<i1", ElementType::i8},
                                                                                 {"|i1", ElementType::i8},
                                                                                 {"<i2", ElementType::i16},
                                                                                 {"<i4", ElementType::i32},
                                                                                 {"<i8", ElementType::i64},
                                                                                 {"<u1", ElementType::u8},
                                                                                 {"|u1", ElementType::u8},
                                                                                 {"<u2", ElementType::u16},
                                                                                 {"<u4", ElementType::u32},
                                                                                 {"<u8", ElementType::u64}}};

/// Parses the dictionary: the three keys in any order, with Python literals as values.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader read() {
    NpyHeader header;
    std::set<std::string_view> keys;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (!keys.insert(key).second) fail("it repeats " + in_quotes(std::string(key)));
      read_value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) fail("something follows its dictionary");
    if (keys.size() != 3) fail("it lacks descr, fortran_order or shape");
    return header;
  }

 private:
  void read_value(std::string_view key, NpyHeader& header) {
    if (key == "descr") {
      header.type = type();
    } else if (key == "fortran_order") {
      if (!accept_word("False")) {
        if (!accept_word("True")) fail("fortran_order is neither True nor False");
        throw Error("cannot load {}: it is in Fortran order; save it in C order", name_);
      }
    } else if (key == "shape") {
      header.shape = shape();
    } else {
      fail("it has an unknown key " + in_quotes(std::string(key)));
    }
  }

  ElementType type() {
    const std::string text(string());
    const auto known = std::ranges::find(kNpyTypes, text, [](const auto& entry) { return entry.first; });
    if (known != kNpyTypes.end()) return known->second;
    throw Error("cannot load {}: its elements are {}, and nmt reads little-endian numbers; save it as '<f4'",
                name_, in_quotes(text));
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      if (extents.size() == kMostNpyDimensions) fail("it has too many dimensions");
      extents.push_back(number());
      if (accept(',')) continue;
      if (extents.size() == 1) fail("its shape is not a tuple");  // (3) is a number in brackets
      expect(')');
      break;
    }
    return extents;
  }

  std::int64_t number() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("its shape is not made of numbers");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  /// Parses a string without escapes, which keys and types do not need.
  std::string_view string() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_.front();
    const std::size_t end = text_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) fail("a string is missing");
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }

  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool accept(char c) { return accept_word(std::string_view(&c, 1)); }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' is missing", c));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw DamagedFile("{} is damaged: in its header, {}; copy it again or use another checkpoint", name_,
                      what);
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

std::size_t npy_header_length(std::string_view prefix, const std::string& name) {
  if (prefix.size() < kShortNpyPrefix || !prefix.starts_with(kNpyMagic)) {
    throw Error("{} is not an array of NumPy (.npy); name another file", name);
  }
  const auto version = static_cast<unsigned char>(prefix[kNpyMagic.size()]);
  std::uint32_t length = 0;
  if (version == 1) {
    std::memcpy(&length, prefix.data() + kNpyLength, 2);
  } else if (version <= 3 && version > 0 && prefix.size() == kNpyPrefix) {
    std::memcpy(&length, prefix.data() + kNpyLength, sizeof length);
  } else {
    throw Error("cannot load {}: it has version {} of the format, and nmt reads 1 to 3; save it again", name,
                version);
  }
  if (length > kMostNpyHeader)
    throw DamagedFile("{} is damaged: its header has {} bytes; copy it again", name, length);
  return (version == 1 ? kShortNpyPrefix : kNpyPrefix) + length;
}

NpyHeader parse_npy_header(std::string_view header, const std::string& name) {
  const std::size_t length = npy_header_length(header.substr(0, kNpyPrefix), name);
  const bool is_short = header[kNpyMagic.size()] == 1;
  return DictionaryReader(header.substr(is_short ? kShortNpyPrefix : kNpyPrefix, length), name).read();
}

std::string npy_header(const NpyHeader& header) {
  constexpr std::size_t kNpyAlignment = 16;
  const auto known =
      std::ranges::find(kNpyTypes, header.type, [](const auto& entry) { return entry.second; });
  if (known == kNpyTypes.end())
    throw Error("arrays of NumPy have no elements of type {}", name_of(header.type));
  std::string shape = fmt::format("{}", fmt::join(header.shape, ", "));
  if (header.shape.size() == 1) shape += ",";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", known->first, shape);
  text.append(kNpyAlignment - (kShortNpyPrefix + text.size()) % kNpyAlignment, ' ');
  text.back() = '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  return fmt::format("{}\x01", kNpyMagic) + '\0' + static_cast<char>(length & 0xFF) +
         static_cast<char>(length >> 8) + text;
}

namespace {

constexpr std::string_view kEnding = ".npy";

class NpzFile : public TensorFile {
 public:
  NpzFile(MemoryMap map, const std::string& path) : TensorFile(path), archive_(std::move(map), path) {
    for (const auto& [entry_name, size] : archive_.sizes()) {
      if (!entry_name.ends_with(kEnding)) {
        throw Error("'{}' is not an archive of NumPy (npz): it holds {}; name another file", path,
                    in_quotes(entry_name));
      }
      add_array(entry_name, size);
    }
    if (entries().empty()) throw Error("'{}' holds no arrays of NumPy; name another file", path);
  }

  void load(const std::string& name, std::size_t begin, std::span<std::byte> to) const override {
    const std::string entry_name = name + std::string(kEnding);
    archive_.read(entry_name, archive_.sizes().at(entry_name) - entry(name).bytes() + begin, to);
  }

 private:
  void add_array(const std::string& entry_name, std::uint64_t size) {
    const std::string shown = fmt::format("{} of '{}'", in_quotes(entry_name), path());
    const std::string prefix = beginning(entry_name, std::min<std::uint64_t>(kNpyPrefix, size));
    const std::uint64_t length = npy_header_length(prefix, shown);
    if (length > size) throw damaged(path(), in_quotes(entry_name) + " ends within its header");
    const NpyHeader header = parse_npy_header(beginning(entry_name, length), shown);
    const std::string name = entry_name.substr(0, entry_name.size() - kEnding.size());
    add(name, {.type = header.type, .shape = header.shape});
    if (entry(name).bytes() != size - length) {
      throw damaged(path(), fmt::format("{} has {} bytes of elements, but its header asks for {}",
                                        in_quotes(entry_name), size - length, entry(name).bytes()));
    }
  }

  std::string beginning(const std::string& entry_name, std::uint64_t count) const {
    std::string bytes(count, '\0');
    archive_.read(entry_name, 0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  ZipArchive archive_;
};

}  // namespace

std::unique_ptr<TensorFile> open_npz(const std::string& path) {
  return npz_in(map_file(path), path);
}

std::unique_ptr<TensorFile> npz_in(MemoryMap map, const std::string& name) {
  return std::make_unique<NpzFile>(std::move(map), name);
}

void write_npz(const std::string& path, std::vector<OutputTensor> tensors, const std::string& config) {
  sort_by_name(tensors, path);
  tensors.push_back(marian_config_tensor(config));
  const auto entry_name = [](const OutputTensor& tensor) { return tensor.name + std::string(kEnding); };
  const auto header = [](const OutputTensor& tensor) { return npy_header({tensor.type, tensor.shape}); };
  std::uint64_t size = StoredZip::kEndBytes;
  for (const OutputTensor& tensor : tensors)
    size += StoredZip::entry_bytes(entry_name(tensor)) + header(tensor).size() + tensor.bytes();
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        "cannot write '{}': it would have {} bytes, and an npz that Marian reads has less than 4 GiB; "
        "write a .bin file",
        path, size);
  }
  StoredZip archive(path);
  for (const OutputTensor& tensor : tensors) {
    archive.add(entry_name(tensor), header(tensor), tensor.bytes(),
                [&](const auto& take) { tensor.each_part(take); });
  }
  archive.commit();
}

}  // namespace nmt
