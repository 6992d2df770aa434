#include "common/io/temporary_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "common/io/folder.h"
#include "common/text/pattern.h"

namespace nmt {
namespace {

using Entry = TemporaryName::Entry;

// Slots for files, as a signal handler cannot take a lock. Few files are written at a time; a file that finds
// no slot is removed only by its destructor.
std::array<std::atomic<Entry*>, 64> slots{};
std::atomic<pid_t> owner = 0;

/// A text in a fixed buffer, for signal handlers, which cannot allocate memory.
class FixedText {
 public:
  FixedText& add(std::string_view text) {
    size_ += text.copy(bytes_.data() + size_, bytes_.size() - 1 - size_);
    bytes_[size_] = '\0';
    return *this;
  }
  FixedText& add(int number) {
    std::array<char, 16> digits;
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return add({digits.data(), static_cast<std::size_t>(result.ptr - digits.data())});
  }
  const char* c_str() const { return bytes_.data(); }

 private:
  std::array<char, PATH_MAX + 64> bytes_{};
  std::size_t size_ = 0;
};

FixedText stored_note;

int take_slot(Entry* entry) {
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    Entry* empty = nullptr;
    if (slots[slot].compare_exchange_strong(empty, entry)) return static_cast<int>(slot);
  }
  return -1;
}

/// Renames a file unless the new name exists; not all file systems support links.
bool rename_to_new(const char* from, const char* to) {
  if (::link(from, to) == 0) return ::unlink(from) == 0;
  const int reason = errno;
  struct stat status {};
  if (reason != EEXIST && ::lstat(to, &status) != 0) return std::rename(from, to) == 0;
  errno = EEXIST;
  return false;
}

/// Renames the part of a file that is worth keeping; returns false if there is none, or if it cannot be kept.
bool keep(const Entry& entry) {
  const off_t bytes = entry.kept_bytes;
  if (bytes == 0) return false;
  struct stat status {};
  if (::stat(entry.path.c_str(), &status) != 0) return false;
  if (status.st_size > bytes && ::truncate(entry.path.c_str(), bytes) != 0) return false;
  constexpr int kMostNumber = 1000;
  for (int number = 1; number < kMostNumber; ++number) {
    FixedText name;
    name.add(entry.stem);
    if (number > 1) name.add("-").add(number);
    name.add(entry.ending);
    if (rename_to_new(entry.path.c_str(), name.c_str())) {
      stored_note = FixedText().add("; what was done before is in '").add(name.c_str()).add("'");
      return true;
    }
    if (errno != EEXIST) break;
  }
  return false;
}

/// Removes the files of an open folder. Reads the entries as the system writes them, because opendir()
/// allocates memory.
void remove_entries(int folder) {
  alignas(dirent64) std::array<char, 4096> entries;
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      const char* const entry = entries.data() + at;
      unsigned short length = 0;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
      ::unlinkat(folder, entry + offsetof(dirent64, d_name), 0);  // fails for "." and ".."
      at += length;
    }
  }
}

/// Removes a file, or a folder and the files in it. For signal handlers.
void remove_quietly(const char* path) {
  if (::unlink(path) == 0) return;
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  remove_entries(folder);
  ::close(folder);
  ::rmdir(path);
}

void settle(const Entry& entry) {
  if (!keep(entry)) remove_quietly(entry.path.c_str());
}

}  // namespace

TemporaryName::TemporaryName(std::string path)
    : entry_(new Entry{.path = std::move(path), .stem = {}, .ending = {}}), slot_(take_slot(entry_)) {}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : entry_(std::exchange(other.entry_, nullptr)), slot_(std::exchange(other.slot_, -1)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(entry_, other.entry_);
  std::swap(slot_, other.slot_);
  return *this;
}

TemporaryName::~TemporaryName() {
  if (Entry* const entry = take()) {
    settle(*entry);
    delete entry;
  }
}

void TemporaryName::keep_as(std::string stem, std::string ending) {
  entry_->stem = std::move(stem);
  entry_->ending = std::move(ending);
}

void TemporaryName::release() {
  delete take();
}

/// A signal handler that has taken the entry is about to end the process, so nobody else uses it.
Entry* TemporaryName::take() {
  Entry* const entry = std::exchange(entry_, nullptr);
  const int slot = std::exchange(slot_, -1);
  return slot < 0 ? entry : slots[static_cast<std::size_t>(slot)].exchange(nullptr);
}

std::string name_beside(const std::string& target) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.{}-{}.tmp", target, ::getpid(), counter++);
}

bool lock_temporary(const FileDescriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const std::string& target) {
  static const Pattern temporary(R"(\.[0-9]+-[0-9]+\.tmp)");
  const std::string name = std::filesystem::path(target).filename().string();
  for (const std::string& path : entries_of(parent_folder(target))) {
    const std::string other = std::filesystem::path(path).filename().string();
    if (!other.starts_with(name) || !temporary.matches(other.substr(name.size()))) continue;
    FileDescriptor left(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!left) left = FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (left && lock_temporary(left)) remove_quietly(path.c_str());
  }
}

void own_temporary_files() {
  owner = ::getpid();
}

void remove_temporary_files() {
  if (owner != ::getpid()) return;
  for (auto& slot : slots) {
    if (const Entry* entry = slot.exchange(nullptr)) settle(*entry);
  }
}

const char* kept_note() {
  return stored_note.c_str();
}

}  // namespace nmt
