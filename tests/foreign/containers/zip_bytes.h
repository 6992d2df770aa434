// Zip archives for tests.
#pragma once

#include <zip.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nmt::testing {

struct ZipEntry {
  std::string name, contents;
  bool is_deflated = false;
};

/// Returns an archive of these entries in order, as libzip writes it, without times; entries whose names it
/// does not accept are left out.
inline std::string zip_bytes(const std::vector<ZipEntry>& entries) {
  zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(buffer);
  zip_t* archive = zip_open_from_source(buffer, ZIP_TRUNCATE, nullptr);
  for (const auto& [name, contents, is_deflated] : entries) {
    zip_source_t* source = zip_source_buffer(archive, contents.data(), contents.size(), 0);
    const std::int64_t added = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_GUESS);
    if (added < 0) zip_source_free(source);
    if (added < 0) continue;
    const auto index = static_cast<std::uint64_t>(added);
    zip_set_file_compression(archive, index, is_deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, index, 0, 0, 0);
  }
  if (zip_get_num_entries(archive, 0) == 0 || zip_close(archive) != 0) {
    zip_discard(archive);
    zip_source_free(buffer);
    return "";
  }
  zip_source_open(buffer);
  zip_source_seek(buffer, 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(zip_source_tell(buffer)), '\0');
  zip_source_seek(buffer, 0, SEEK_SET);
  zip_source_read(buffer, bytes.data(), bytes.size());
  zip_source_close(buffer);
  zip_source_free(buffer);
  return bytes;
}

}  // namespace nmt::testing
