// Bytes packed while they are written: the way back of byte_source.h.
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

  /// Packs more bytes; what is ready goes to `take`.
  virtual void pack(std::string_view bytes, const Take& take) = 0;
  /// Packs what is left. Call once, last.
  virtual void finish(const Take& take) = 0;
};

/// The end of a name that asks for packing: ".gz", ".xz" and ".zst"; nothing of other names.
std::string_view packed_ending(std::string_view path);

/// What packs as the name of a file asks for (packed_ending); nothing for other names. The same bytes give
/// the same packed bytes.
std::unique_ptr<Packer> packer_for(const std::string& path);

}  // namespace nmt
