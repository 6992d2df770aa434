// Reads and writes the fields of serialized protobuf messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nmt {

/// How a field is stored. Groups (3 and 4), long out of use, are not read.
enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// Goes over the fields of a message one by one, in memory that is not its own:
///
///     for (FieldReader field(message); field.next();) ... field.number() ...
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  /// Goes to the next field; false at the end. Throws Error when the message is cut off or is none.
  bool next();

  std::uint32_t number() const { return number_; }
  WireType type() const { return type_; }
  /// Of a number; of fixed32 and fixed64 the bits.
  std::uint64_t value() const { return value_; }
  /// Of WireType::bytes.
  std::string_view bytes() const { return bytes_; }
  /// What follows this field in the message.
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

/// The bytes of a field that holds a number, as varint or of a fixed size, or bytes (text, or a message).
std::string varint_field(std::uint32_t number, std::uint64_t value);
std::string fixed64_field(std::uint32_t number, std::uint64_t value);
std::string fixed32_field(std::uint32_t number, std::uint32_t value);
std::string bytes_field(std::uint32_t number, std::string_view bytes);

}  // namespace nmt
