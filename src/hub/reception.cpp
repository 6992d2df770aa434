#include "hub/reception.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"

namespace nmt {

Reception::Reception(const std::string& path, std::int64_t size)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), size_(size) {
  if (!file_) cannot_write(path_);
  received_ = ::lseek(file_.get(), 0, SEEK_END);
  if (received_ > size_) restart();
  counted_ = received_;
}

void Reception::restart() {
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0) cannot_write(path_);
  received_ = 0;
}

bool Reception::add(std::string_view bytes) {
  if (std::ssize(bytes) > size_ - received_) {
    restart();
    return false;
  }
  write_all(file_, bytes.data(), bytes.size(), path_);
  received_ += std::ssize(bytes);
  return true;
}

void Reception::sync() {
  if (::fsync(file_.get()) != 0) cannot_write(path_);
}

int Reception::count_failure() {
  constexpr std::int64_t kProgress = std::int64_t{64} << 10;
  if (received_ >= counted_ + kProgress) {
    counted_ = received_;
    failures_ = 0;
  }
  return ++failures_;
}

}  // namespace nmt
