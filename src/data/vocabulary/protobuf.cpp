#include "data/vocabulary/protobuf.h"

#include <bit>
#include <cstring>

#include "common/error.h"

namespace nmt {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

constexpr int kTypeBits = 3;

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

std::string tag(std::uint32_t number, WireType type) {
  std::string bytes;
  append_varint(bytes, std::uint64_t{number} << kTypeBits | static_cast<unsigned>(type));
  return bytes;
}

}  // namespace

bool FieldReader::next() {
  if (rest_.empty()) return false;
  const std::uint64_t tag = take_varint();
  number_ = static_cast<std::uint32_t>(tag >> kTypeBits);
  type_ = static_cast<WireType>(tag & ((1U << kTypeBits) - 1));
  if (number_ == 0 || tag > UINT32_MAX) throw Error("a field has no number");
  switch (type_) {
    case WireType::varint:
      value_ = take_varint();
      return true;
    case WireType::fixed64:
      value_ = take_fixed(8);
      return true;
    case WireType::fixed32:
      value_ = take_fixed(4);
      return true;
    case WireType::bytes:
      bytes_ = take(take_varint());
      return true;
  }
  throw Error("a field is of an unknown type");
}

std::string_view FieldReader::take(std::uint64_t size) {
  if (size > rest_.size()) throw Error("a field is cut off");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t FieldReader::take_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  throw Error("a number is too long");
}

std::uint64_t FieldReader::take_fixed(std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, take(size).data(), size);
  return value;
}

std::string varint_field(std::uint32_t number, std::uint64_t value) {
  std::string field = tag(number, WireType::varint);
  append_varint(field, value);
  return field;
}

std::string fixed64_field(std::uint32_t number, std::uint64_t value) {
  return tag(number, WireType::fixed64).append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string fixed32_field(std::uint32_t number, std::uint32_t value) {
  return tag(number, WireType::fixed32).append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string bytes_field(std::uint32_t number, std::string_view bytes) {
  std::string field = tag(number, WireType::bytes);
  append_varint(field, bytes.size());
  return field.append(bytes);
}

}  // namespace nmt
