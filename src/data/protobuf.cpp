#include "data/protobuf.h"

#include <bit>
#include <cstring>

#include "common/error.h"

namespace nmt {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

constexpr int kTypeBits = 3;

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

std::string fixed64_field(std::uint32_t number, std::uint64_t value) {
  std::string field;
  std::uint64_t tag = std::uint64_t{number} << kTypeBits | static_cast<unsigned>(WireType::fixed64);
  for (; tag >= 0x80; tag >>= 7) field += static_cast<char>(tag | 0x80);
  field += static_cast<char>(tag);
  return field.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace nmt
