#include "common/file_descriptor.h"

#include <cerrno>

#include "common/error.h"
#include "common/system_message.h"

namespace nmt {

bool try_write(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void cannot_write(const std::string& name) {
  throw Error("cannot write '{}': {}", name, system_message(errno));
}

void write_all(const FileDescriptor& file, const void* data, std::size_t size, const std::string& name) {
  if (!try_write(file.get(), {static_cast<const char*>(data), size})) cannot_write(name);
}

}  // namespace nmt
