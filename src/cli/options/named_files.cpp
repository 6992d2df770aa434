// Checks of the files that settings name: at most one text is standard input, and no output is also an input.
#include <algorithm>

#include "cli/options/options.h"
#include "common/error.h"
#include "common/io/byte_source.h"

namespace nmt {

std::vector<NamedFile> Options::files_read() const {
  std::vector<NamedFile> files;
  if (positional_.target != nullptr) {
    for (const std::string& path : *positional_.target) files.push_back({positional_.value_name, path});
  }
  for (const Option& option : options_) {
    if (!option.facts().is_path() || option.facts().is_written) continue;
    for (const std::string& path : option.texts()) {
      files.push_back({option.origin(), path});
      if (const std::size_t name = path.find('='); name != std::string::npos)  // NAME=FILE
        files.push_back({option.origin(), path.substr(name + 1)});
    }
  }
  if (reads_stream_()) files.push_back(text_of_stream_);
  return files;
}

void Options::refuse_empty_paths() const {
  const auto refuse = [](const std::string& origin, const std::string& value_name) {
    throw UsageError("{} is empty; name a {}", origin, value_name == "DIR" ? "directory" : "file");
  };
  for (const Option& option : options_) {
    if (!option.facts().is_path() || !option.given()) continue;
    if (std::ranges::count(option.texts(), "") > 0) refuse(option.origin(), option.facts().value_name);
  }
  const auto& [target, value_name, help, least, most, choices] = positional_;
  if (target != nullptr && std::ranges::count(*target, "") > 0) refuse(value_name, value_name);
}

std::vector<NamedFile> Options::streams_read() const {
  std::vector<NamedFile> files = files_read();
  std::erase_if(files, [](const NamedFile& file) { return !is_standard_input(file.path); });
  return files;
}

std::optional<NamedFile> Options::standard_input() const {
  const std::vector<NamedFile> files = streams_read();
  return files.empty() ? std::nullopt : std::optional(files[0]);
}

void Options::check_files() const {
  refuse_empty_paths();
  const std::vector<NamedFile> read = files_read(), streams = streams_read();
  if (streams.size() > 1) {
    throw UsageError("standard input can be one text only, but {} and {} are to come from it; name files",
                     streams[0].name, streams[1].name);
  }
  std::vector<NamedFile> written;
  if (writes_stream_()) written.push_back({.name = "", .path = "-"});
  for (const Option& option : options_) {
    const OptionFacts& facts = option.facts();
    if (!facts.is_path()) continue;
    for (const std::string& path : option.texts()) {
      if (facts.value_name == "DIR" && path == "-") {
        throw UsageError("{}: '-' is a standard stream, but a directory is needed; name one, or './-'",
                         option.origin());
      }
      if (facts.is_written) written.push_back({option.origin(), path});
    }
  }
  for (const NamedFile& file : written) refuse_overwriting(file, read);
  refuse_same_output(written);
}

}  // namespace nmt
