#include "fuzz/zip_parts.h"

#include <sstream>

#include "common/error.h"
#include "foreign/containers/zip_archive.h"
#include "foreign/containers/zip_bytes.h"
#include "fuzz/scratch_file.h"

namespace nmt::fuzz {

Parts split_zip(const std::string& bytes) {
  try {
    const ZipArchive archive(scratch_file("archive.zip", bytes));
    Parts parts = {""};
    for (const auto& [name, size] : archive.sizes()) {
      std::string contents(size, '\0');
      archive.read(name, 0, std::as_writable_bytes(std::span(contents)));
      parts.front() += name + "\n";
      parts.push_back(contents);
    }
    return parts;
  } catch (const Error&) {
    return {bytes};
  }
}

std::string join_zip(const Parts& parts) {
  std::istringstream names(parts.front());
  std::vector<testing::ZipEntry> entries;
  std::string name;
  while (entries.size() + 1 < parts.size() && std::getline(names, name))
    entries.push_back({name, parts[entries.size() + 1]});
  return entries.empty() ? joined(parts) : testing::zip_bytes(entries);
}

}  // namespace nmt::fuzz
