#include "tensor/communicator.h"

#include <cstdint>
#include <cstring>

namespace nmt {
namespace {

using Length = std::uint64_t;

std::span<std::byte> bytes_of(Length& length) {
  return std::as_writable_bytes(std::span(&length, 1));
}

}  // namespace

std::vector<std::string> all_gather_text(ProcessGroup& group, std::string_view message) {
  Length length = message.size();
  const std::span<const std::byte> head = bytes_of(length), body = std::as_bytes(std::span(message));
  std::vector<std::byte> own(head.begin(), head.end());
  own.insert(own.end(), body.begin(), body.end());
  std::vector<std::byte> all = group.gather(own);
  Length size = all.size();
  group.broadcast(bytes_of(size));
  all.resize(size);
  group.broadcast(all);
  std::vector<std::string> messages;
  for (std::span<const std::byte> rest(all); rest.size() >= sizeof length;) {
    std::memcpy(&length, rest.data(), sizeof length);
    const auto text = rest.subspan(sizeof length, length);
    messages.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    rest = rest.subspan(sizeof length + length);
  }
  return messages;
}

}  // namespace nmt
