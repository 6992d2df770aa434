#include "foreign/containers/tensor_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/error.h"
#include "tensor/dtype.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

struct Properties {
  const char* name;
  std::size_t size;
};

// In the order of ElementType.
constexpr std::array<Properties, 13> kProperties = {{{"f64", 8},
                                                     {"f32", 4},
                                                     {"f16", 2},
                                                     {"bf16", 2},
                                                     {"i64", 8},
                                                     {"i32", 4},
                                                     {"i16", 2},
                                                     {"i8", 1},
                                                     {"u64", 8},
                                                     {"u32", 4},
                                                     {"u16", 2},
                                                     {"u8", 1},
                                                     {"boolean", 1}}};

const Properties& properties_of(ElementType type) {
  return kProperties.at(static_cast<std::size_t>(type));
}

}  // namespace

std::size_t size_of(ElementType type) {
  return properties_of(type).size;
}

const char* name_of(ElementType type) {
  return properties_of(type).name;
}

bool is_real(ElementType type) {
  return type <= ElementType::bf16;
}

void MappedTensors::add(const std::string& name, Entry entry, std::string_view bytes) {
  TensorFile::add(name, std::move(entry));
  if (const std::size_t needed = find(name)->bytes(); bytes.size() < needed) {
    throw damaged(path(), fmt::format("tensor {} has {} bytes, but its shape asks for {}", in_quotes(name),
                                      bytes.size(), needed));
  }
  bytes_.emplace(name, bytes);
}

void MappedTensors::load(const std::string& name, std::size_t begin, std::span<std::byte> to) const {
  if (to.empty()) return;
  std::memcpy(to.data(), bytes_.at(name).data() + begin, to.size());
  map_.finish_reading();
}

const std::byte* MappedTensors::mapped(const std::string& name) const {
  return reinterpret_cast<const std::byte*>(bytes_.at(name).data());
}

namespace {

constexpr std::size_t kConvertedAtOnce = std::size_t{1} << 18;  // elements of a mapped file

/// Converts elements of type From.
template <class From, class To>
void convert(const std::byte* from, std::span<To> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    From element;
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
      to[i] = static_cast<To>(static_cast<float>(element));
    } else {
      to[i] = static_cast<To>(+element);  // promoted, as bytes are numbers and not characters
    }
  }
}

/// Converts elements; integers of u64 above INT64_MAX wrap around.
template <class To>
void convert(const std::byte* from, ElementType type, std::span<To> to) {
  switch (type) {
    case ElementType::f64:
      return convert<double>(from, to);
    case ElementType::f32:
      return convert<float>(from, to);
    case ElementType::f16:
      return convert<Float16>(from, to);
    case ElementType::bf16:
      return convert<BFloat16>(from, to);
    case ElementType::i64:
    case ElementType::u64:
      return convert<std::int64_t>(from, to);
    case ElementType::i32:
      return convert<std::int32_t>(from, to);
    case ElementType::i16:
      return convert<std::int16_t>(from, to);
    case ElementType::i8:
      return convert<std::int8_t>(from, to);
    case ElementType::u32:
      return convert<std::uint32_t>(from, to);
    case ElementType::u16:
      return convert<std::uint16_t>(from, to);
    case ElementType::u8:
    case ElementType::boolean:
      return convert<std::uint8_t>(from, to);
  }
}

/// Returns the type here of the same real numbers; nothing if there is none or read() rounds them.
std::optional<DType> exact_type(ElementType type) {
  if (type == ElementType::f32) return DType::f32;
  if (type == ElementType::f16) return DType::f16;
  if (type == ElementType::bf16) return DType::bf16;
  return std::nullopt;
}

/// Returns the transpose of a matrix with `columns` columns, row-major.
template <class T>
std::vector<T> transposed(const std::vector<T>& rows, std::size_t columns) {
  if (rows.empty() || columns == 0) return {};
  const std::size_t count = rows.size() / columns;
  std::vector<T> values(rows.size());
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      values[column * count + row] = rows[row * columns + column];
  return values;
}

/// Returns the number of rows in the bytes of a quantized entry; a vector and an empty entry have one row.
std::size_t stored_rows(const TensorFile::Entry& entry) {
  if (entry.shape.size() < 2 || entry.size() == 0) return 1;
  return static_cast<std::size_t>(entry.is_transposed ? entry.shape.back() : entry.shape.front());
}

/// The largest magnitude of a quantized integer, which has at most 16 bits.
constexpr float kMostInteger = 32768;

bool is_of_bytes(ElementType type) {
  return type == ElementType::i8 || type == ElementType::u8;
}

}  // namespace

std::int64_t TensorFile::Entry::size() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

const TensorFile::Entry* TensorFile::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const TensorFile::Entry& TensorFile::entry(const std::string& name) const {
  if (const Entry* entry = find(name)) return *entry;
  throw Error("'{}' has no tensor {}; the file is not complete", path_, in_quotes(name));
}

void TensorFile::add(const std::string& name, Entry entry) {
  if (entry.shape.size() > kMostTensorDimensions) {
    throw Error("cannot load '{}': tensor {} has {} dimensions, above {}; name another model", path_,
                in_quotes(name), entry.shape.size(), kMostTensorDimensions);
  }
  auto bytes = static_cast<std::int64_t>(size_of(entry.type));
  for (const std::int64_t extent : entry.shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) {
      throw damaged(path_, "the shape of tensor " + in_quotes(name) + " means nothing");
    }
  }
  checked_count(entries_.size() + 1);
  if (!entries_.emplace(name, std::move(entry)).second) {
    throw damaged(path_, "it has two tensors " + in_quotes(name));
  }
}

std::uint64_t TensorFile::checked_count(std::uint64_t count) const {
  if (count <= kMostTensors) return count;
  throw Error("cannot load '{}': it declares {} tensors, but nmt reads at most {}; name another model", path_,
              count, kMostTensors);
}

std::vector<float> TensorFile::multipliers(const std::string& /*name*/) const {
  return {1};
}

std::vector<float> TensorFile::checked_multipliers(const std::string& name, std::size_t rows) const {
  std::vector<float> values = multipliers(name);
  if (values.size() != 1 && values.size() != rows) {
    throw damaged(
        path_, fmt::format("tensor {} has {} multipliers for {} rows", in_quotes(name), values.size(), rows));
  }
  if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x) && x > 0; })) {
    throw damaged(path_, "a multiplier of tensor " + in_quotes(name) + " is not a positive number");
  }
  values.resize(rows, values.front());
  return values;
}

template <class To>
std::vector<To> TensorFile::converted(const std::string& name, std::size_t first, std::size_t count) const {
  const Entry& found = entry(name);
  const std::size_t size = size_of(found.type);
  std::vector<To> values(count);
  const std::byte* const place = mapped(name);
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < count; at += kConvertedAtOnce) {
    const std::span part = std::span(values).subspan(at, std::min(kConvertedAtOnce, count - at));
    if (place == nullptr) {
      bytes.resize(part.size() * size);
      load(name, (first + at) * size, bytes);
      convert(bytes.data(), found.type, part);
    } else {
      convert(place + (first + at) * size, found.type, part);
      finish_reading();
    }
  }
  return values;
}

std::vector<float> TensorFile::read(const std::string& name) const {
  const Entry& found = entry(name);
  return read(name, {0, found.shape.size() < 2 ? 1 : found.shape[0]});
}

std::vector<float> TensorFile::read(const std::string& name, RowRange rows) const {
  const Entry& found = entry(name);
  const auto begin = static_cast<std::size_t>(rows.begin), count = static_cast<std::size_t>(rows.count);
  const std::size_t all = found.shape.size() < 2 ? 1 : static_cast<std::size_t>(found.shape[0]);
  const std::size_t columns = all == 0 ? 0 : static_cast<std::size_t>(found.size()) / all;
  if (found.type == ElementType::f32 && mapped(name) == nullptr) {
    std::vector<float> values(count * columns);
    load(name, begin * columns * sizeof(float), std::as_writable_bytes(std::span(values)));
    return values;
  }
  if (is_real(found.type)) return converted<float>(name, begin * columns, count * columns);
  if (!found.is_quantized) {
    throw Error("'{}': tensor {} is of type {}, but real numbers are expected; convert it to f32", path_,
                in_quotes(name), name_of(found.type));
  }
  const std::size_t stored = stored_rows(found);
  const std::vector<float> divisors = checked_multipliers(name, stored);
  if (found.is_transposed) {
    std::vector<float> values = converted<float>(name, 0, static_cast<std::size_t>(found.size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= divisors[i / all];
    values = transposed(values, all);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin * columns);
    return {first, first + static_cast<std::ptrdiff_t>(count * columns)};
  }
  std::vector<float> values = converted<float>(name, begin * columns, count * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= divisors[begin + i / columns];
  return values;
}

bool TensorFile::is_finite(const std::string& name) const {
  const Entry& found = entry(name);
  const std::byte* const place = mapped(name);
  if (const auto type = exact_type(found.type); type && place != nullptr) {
    return are_finite(place, static_cast<std::size_t>(found.size()), *type, [this] { finish_reading(); });
  }
  if (found.is_quantized && std::ranges::all_of(checked_multipliers(name, stored_rows(found)),
                                                [](float x) { return std::isfinite(kMostInteger / x); }))
    return true;
  const std::int64_t rows = found.shape.size() < 2 ? 1 : found.shape[0];
  const std::size_t row_bytes = rows == 0 ? 0 : static_cast<std::size_t>(found.size() / rows) * sizeof(float);
  bool are_all = true;
  each_range(rows, row_bytes, [&](RowRange range) {
    const std::vector<float> values = read(name, range);
    are_all = are_all && are_finite(values.data(), values.size(), DType::f32);
  });
  return are_all;
}

QuantizedMatrix TensorFile::read_quantized(const std::string& name) const {
  const Entry& found = entry(name);
  if (!found.is_quantized || found.type != ElementType::i8) {
    throw Error("'{}': tensor {} is not a matrix of quantized integers of 8 bits", path_, in_quotes(name));
  }
  QuantizedMatrix matrix{std::vector<std::int8_t>(found.bytes()), {}};
  load(name, 0, std::as_writable_bytes(std::span(matrix.values)));
  if (std::ranges::count(matrix.values, std::numeric_limits<std::int8_t>::min()) > 0) {
    throw damaged(path_, "tensor " + in_quotes(name) + " has an integer that no weight has, -128");
  }
  for (const float multiplier : checked_multipliers(name, stored_rows(found)))
    matrix.scale.push_back(1 / multiplier);
  return matrix;
}

std::vector<std::int64_t> TensorFile::read_integers(const std::string& name) const {
  const Entry& found = entry(name);
  if (is_real(found.type)) {
    throw Error("'{}': tensor {} is of type {}, but integers are expected", path_, in_quotes(name),
                name_of(found.type));
  }
  std::vector<std::int64_t> values = converted<std::int64_t>(name, 0, static_cast<std::size_t>(found.size()));
  if (found.is_transposed) return transposed(values, values.size() / stored_rows(found));
  return values;
}

std::string TensorFile::read_text(const std::string& name) const {
  const Entry& found = entry(name);
  if (!is_of_bytes(found.type)) {
    throw Error("'{}': tensor {} is of type {}, but a text is expected", path_, in_quotes(name),
                name_of(found.type));
  }
  std::string text(found.bytes(), '\0');
  load(name, 0, std::as_writable_bytes(std::span(text)));
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace nmt
