#include "common/temporary_name.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace nmt {
namespace {

// A handler cannot take a lock, so names stand in slots of their own. Few files are written at a time; what
// finds no slot is removed by its destructor only.
std::array<std::atomic<const char*>, 64> slots{};
std::atomic<pid_t> owner = 0;

int take_slot(const std::string& path) {
  char* copy = ::strdup(path.c_str());
  for (std::size_t slot = 0; copy != nullptr && slot < slots.size(); ++slot) {
    const char* empty = nullptr;
    if (slots[slot].compare_exchange_strong(empty, copy)) return static_cast<int>(slot);
  }
  std::free(copy);
  return -1;
}

}  // namespace

TemporaryName::TemporaryName(std::string path) : path_(std::move(path)), slot_(take_slot(path_)) {}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : path_(std::exchange(other.path_, {})), slot_(std::exchange(other.slot_, -1)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(slot_, other.slot_);
  return *this;
}

TemporaryName::~TemporaryName() {
  if (!path_.empty()) ::unlink(path_.c_str());
  release();
}

void TemporaryName::release() {
  // A handler that has taken the name is about to end the process, so nobody else frees it.
  if (slot_ >= 0) std::free(const_cast<char*>(slots[static_cast<std::size_t>(slot_)].exchange(nullptr)));
  slot_ = -1;
  path_.clear();
}

void own_temporary_files() {
  owner = ::getpid();
}

void remove_temporary_files() {
  if (owner != ::getpid()) return;
  for (auto& slot : slots) {
    if (const char* path = slot.exchange(nullptr)) ::unlink(path);
  }
}

}  // namespace nmt
