// Compression of bytes as they are written; the inverse of byte_source.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nmt {

class Packer {
 public:
  using Take = std::function<void(std::string_view packed)>;

  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;

  /// Compresses more bytes; passes output that is ready to `take`.
  virtual void pack(std::string_view bytes, const Take& take) = 0;
  /// Compresses the rest. Call once, last.
  virtual void finish(const Take& take) = 0;
};

/// Returns the extension of a name that requests compression (".gz", ".xz" or ".zst"); empty for other names.
std::string_view packed_ending(std::string_view path);

/// Returns a packer for the format that a file's name requests (packed_ending()); null for other names. The
/// output depends only on the bytes.
std::unique_ptr<Packer> packer_for(const std::string& path);

}  // namespace nmt
