// Numbers and texts in bytes, read and written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/damaged_file.h"
#include "common/text/number.h"

namespace nmt {

/// Returns the Error for a damaged file; `what` is the fault.
inline DamagedFile damaged_file(const std::string& path, const std::string& what) {
  return DamagedFile("'{}' is damaged: {}; copy or download it again", path, what);
}

/// Reads numbers and texts in order. Never reads beyond the end: throws damaged_file() instead.
class ByteReader {
 public:
  /// `bytes` and `path` must outlive this object.
  ByteReader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  /// Reads a little-endian number.
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }

  /// Reads the next `count` bytes.
  std::string_view bytes(std::uint64_t count) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // more than any file has
    if (count > kMost) refuse_length();
    if (count > remaining()) {
      throw damaged_file(path_, fmt::format("it ends where {} bytes are missing", count - remaining()));
    }
    const std::string_view piece = bytes_.substr(at_, count);
    at_ += count;
    return piece;
  }

  /// Reads the next `count` records of `each` bytes.
  std::string_view records(std::uint64_t count, std::uint64_t each) {
    std::uint64_t total = 0;
    if (__builtin_mul_overflow(count, each, &total)) refuse_length();
    return bytes(total);
  }

  /// Reads up to the next line feed, which is consumed and must be at most 250 bytes away.
  std::string_view line() {
    constexpr std::size_t kMost = 250;
    const std::size_t length = bytes_.substr(at_, kMost).find('\n');
    if (length == std::string_view::npos) throw damaged_file(path_, "a line feed is missing in it");
    return bytes(length + 1).substr(0, length);
  }

  /// Throws if bytes are left after the last `part`, such as "tensor".
  void expect_end(std::string_view part) const {
    if (remaining() == 0) return;
    throw damaged_file(path_,
                       fmt::format("it has {} after its last {}", count_of(remaining(), "byte"), part));
  }

  std::uint64_t remaining() const { return bytes_.size() - at_; }

 private:
  [[noreturn]] void refuse_length() const { throw damaged_file(path_, "it has a length that no file has"); }

  std::string_view bytes_;
  const std::string& path_;
  std::uint64_t at_ = 0;
};

/// Appends little-endian numbers, each in as many bytes as its type has.
template <class... Numbers>
void append_numbers(std::string& bytes, Numbers... numbers) {
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

}  // namespace nmt
