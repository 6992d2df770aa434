#include "cli/output.h"

#include <algorithm>
#include <filesystem>

#include "cli/standard_output.h"

namespace nmt {

Output::Output(const std::string& path)
    : file_(path == "-" ? nullptr : std::make_unique<AtomicFile>(path)), packer_(packer_for(path)) {}

bool Output::streams(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is no stream
  const auto status = std::filesystem::status(path, ignored);
  return path == "-" ||
         (!packer_for(path) && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status));
}

void Output::write(std::string_view text) {
  if (!file_) {
    write_output(text);
  } else if (!packer_) {
    file_->write(text);
  } else {
    packer_->pack(text, [this](std::string_view packed) { file_->write(packed); });
  }
}

void Output::commit() {
  if (packer_) packer_->finish([this](std::string_view packed) { file_->write(packed); });
  if (file_) file_->commit();
}

std::string format_by_name(const std::string& path, const std::vector<std::string>& formats) {
  std::filesystem::path name = path;
  if (packer_for(path)) name = name.stem();
  const std::string ending = name.extension().string();
  const auto found =
      std::ranges::find_if(formats, [&](const auto& format) { return ending == "." + format; });
  return found == formats.end() ? formats.front() : *found;
}

}  // namespace nmt
