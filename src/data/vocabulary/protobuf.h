// Reads and writes the fields of serialized protobuf messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nmt {

/// The storage of a field. Groups (3 and 4), long obsolete, are not read.
enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// Iterates over the fields of a message, which must outlive it:
///
/// for (FieldReader field(message); field.next();) ... field.number() ...
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  /// Moves to the next field; returns false at the end. Throws Error if the message is truncated or invalid.
  bool next();

  std::uint32_t number() const { return number_; }
  WireType type() const { return type_; }
  /// Returns the value of a number; for fixed32 and fixed64 its bits.
  std::uint64_t value() const { return value_; }
  /// Returns the contents of a field of WireType::bytes.
  std::string_view bytes() const { return bytes_; }
  /// Returns what follows this field in the message.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::uint64_t size);
  std::uint64_t take_varint();
  std::uint64_t take_fixed(std::size_t size);

  std::string_view rest_, bytes_;
  std::uint32_t number_ = 0;
  WireType type_ = WireType::varint;
  std::uint64_t value_ = 0;
};

/// Return the bytes of a field that contains a number, as varint or of a fixed size, or bytes (text, or a
/// message).
std::string varint_field(std::uint32_t number, std::uint64_t value);
std::string fixed64_field(std::uint32_t number, std::uint64_t value);
std::string fixed32_field(std::uint32_t number, std::uint32_t value);
std::string bytes_field(std::uint32_t number, std::string_view bytes);

}  // namespace nmt
