#include "common/file_descriptor.h"

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace nmt {

void write_all(const FileDescriptor& file, const void* data, std::size_t size, const std::string& name) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file.get(), bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const char* help =
          errno == ENOSPC || errno == EDQUOT ? "; free some space or choose another folder" : "";
      throw Error("cannot write '{}': {}{}", name, std::strerror(errno), help);
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace nmt
