#include "foreign/containers/mapped_tensors.h"

#include <cstring>
#include <utility>

namespace nmt {

void MappedTensors::add(const std::string& name, Entry entry, std::string_view bytes) {
  TensorFile::add(name, std::move(entry));
  if (const std::size_t needed = find(name)->bytes(); bytes.size() < needed) {
    throw damaged(path(), fmt::format("tensor {} has {} bytes, but its shape asks for {}", in_quotes(name),
                                      bytes.size(), needed));
  }
  bytes_.emplace(name, bytes);
}

void MappedTensors::load(const std::string& name, std::span<std::byte> to) const {
  if (to.empty()) return;
  std::memcpy(to.data(), bytes_.at(name).data(), to.size());
  map_.finish_reading();
}

}  // namespace nmt
