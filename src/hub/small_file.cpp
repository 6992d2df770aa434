#include "hub/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/file_descriptor.h"

namespace nmt {

std::optional<std::string> first_word_of(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  constexpr std::string_view kSpaces = " \t\r\n";
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // does not wait for pipes
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  std::array<char, kMostBytes + 1> bytes{};
  const ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
  if (size < 0 || static_cast<std::size_t>(size) > kMostBytes) return std::nullopt;
  std::string_view text(bytes.data(), static_cast<std::size_t>(size));
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return std::string(text.substr(0, text.find_first_of(kSpaces)));
}

}  // namespace nmt
