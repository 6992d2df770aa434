#include "cuda_emulator/listing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "cuda_emulator/place.h"

namespace simt {
namespace {

struct Entry {
  std::uint64_t calls = 0;
  double operations = 0;
  Traffic moved;
};

struct Listing {
  const char* path = std::getenv("NMT_EMULATOR_LISTING");
  std::mutex mutex;
  std::map<std::string, Entry> entries;
};

/// Never destroyed, because calls are listed until the end of the process.
Listing& listing() {
  static Listing& it = *new Listing;
  return it;
}

/// Writes the listing in its destructor, which runs when the process ends.
struct Writer {
  Writer() { listing(); }
  ~Writer() {
    if (!is_listing()) return;
    FILE* file = std::fopen(listing().path, "w");
    if (file == nullptr) {
      std::perror(listing().path);
      return;
    }
    for (const auto& [name, entry] : listing().entries) {
      std::fprintf(file, "%llu\t%.0f\t%llu\t%llu\t%s\n", static_cast<unsigned long long>(entry.calls),
                   entry.operations, static_cast<unsigned long long>(entry.moved.read),
                   static_cast<unsigned long long>(entry.moved.written), name.c_str());
    }
    std::fclose(file);
  }
} const writer;

}  // namespace

bool is_listing() {
  return listing().path != nullptr;
}

void list(const std::string& name, double operations, const Traffic& moved) {
  Listing& l = listing();
  const std::lock_guard lock(l.mutex);
  Entry& entry = l.entries[name];
  ++entry.calls;
  entry.operations += operations;
  entry.moved.read += moved.read;
  entry.moved.written += moved.written;
}

std::string kernel_name(const void* function) {
  std::string name = place(function);
  const std::string hidden = "(anonymous namespace)::";
  for (auto at = name.find(hidden); at != std::string::npos; at = name.find(hidden))
    name.erase(at, hidden.size());
  name.resize(std::min(name.find_first_of("(<"), name.size()));
  return name.substr(name.find_last_of(": ") + 1);  // npos + 1 is 0
}

}  // namespace simt
