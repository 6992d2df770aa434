#include "cuda_emulator/cudnn_reserve.h"

#include <cstring>
#include <string>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

std::size_t width_of(const RecurrentShape& shape) {
  return static_cast<std::size_t>((shape.gates() + 1) * shape.hidden);
}

std::uint64_t checksum(const RecurrentShape& shape) {
  std::vector<int> all{shape.is_lstm, shape.has_bias, shape.type, shape.inputs, shape.hidden};
  all.insert(all.end(), shape.batch_sizes.begin(), shape.batch_sizes.end());
  return simt::checksum(all.data(), all.size() * sizeof(int));
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t bytes) {
  std::uint64_t sum = 14695981039346656037u;
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; data != nullptr && i < bytes; ++i) sum = (sum ^ byte[i]) * 1099511628211u;
  return sum;
}

std::size_t reserve_bytes(const RecurrentShape& shape) {
  return sizeof(ReserveHeader) + 2 * static_cast<std::size_t>(shape.rows()) * width_of(shape) * sizeof(float);
}

Reserve::Reserve(const RecurrentShape& shape)
    : shape_(shape),
      width_(width_of(shape)),
      gates_(static_cast<std::size_t>(shape.rows()) * width_),
      gradients_(gates_.size()) {
  header.shape = checksum(shape);
}

bool Reserve::load(const void* space, ReserveHeader::Stage stage, const char* who) {
  reads(space, reserve_bytes(shape_), who);
  const std::uint64_t own_shape = header.shape;
  const auto* byte = static_cast<const std::byte*>(space);
  std::memcpy(&header, byte, sizeof header);
  std::memcpy(gates_.data(), byte + sizeof header, bytes());
  std::memcpy(gradients_.data(), byte + sizeof header + bytes(), bytes());
  if (header.stage != stage || header.shape != own_shape)
    report(std::string(who) + ": the reserve space is not that of the call before, of the same layer");
  else if (header.content != content())
    report(std::string(who) + ": the reserve space has changed since the call before");
  else
    return true;
  return false;
}

void Reserve::store(void* space, const char* who) {
  header.content = content();
  wrote(space, reserve_bytes(shape_), who);
  auto* byte = static_cast<std::byte*>(space);
  std::memcpy(byte, &header, sizeof header);
  std::memcpy(byte + sizeof header, gates_.data(), bytes());
  std::memcpy(byte + sizeof header + bytes(), gradients_.data(), bytes());
}

std::uint64_t Reserve::content() const {
  return simt::checksum(gates_.data(), bytes()) * 31 + simt::checksum(gradients_.data(), bytes());
}

}  // namespace simt
