#include "cli/options/overwriting.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/options/options.h"
#include "cli/options/yaml_settings.h"
#include "common/error.h"
#include "common/io/byte_source.h"
#include "common/io/folder.h"
#include "foreign/open.h"
#include "train/run/run_directory.h"

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
      if (const std::size_t ratio = path.rfind(':'); ratio != std::string::npos)  // FILE:RATIO
        files.push_back({option.origin(), path.substr(0, ratio)});
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
  refuse_overwriting(written, read);
  refuse_same_output(written);
}

namespace {

using Identity = std::pair<dev_t, ino_t>;

/// Returns the identity of a file; `stream` is the descriptor for "-". None for what cannot be destroyed.
std::optional<Identity> identity(const std::string& path, int stream) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(stream, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

/// Returns the values of a run's configuration, among which are its texts; none if it cannot be read, which
/// is reported where it is used.
std::vector<std::string> settings_of_run(const std::string& path) {
  std::vector<std::string> values;
  if (!is_file(RunDirectory::config_path(path))) return values;
  try {
    for (const auto& [name, texts] : flat_yaml_settings(RunDirectory::config_path(path)))
      std::ranges::copy(texts, std::back_inserter(values));
  } catch (const Error&) {
    return {};
  }
  return values;
}

/// Returns the files that are read for this path: those that its model consists of (see files_of_model()), or
/// those of a run, the bases of its models, and its texts.
std::vector<std::string> files_behind(const std::string& path) {
  std::vector<std::string> files = files_of_model(path);
  if (!files.empty()) return files;
  files = RunDirectory::files(path);
  const std::size_t count = files.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = files[i];
    if (file.ends_with(".safetensors")) std::ranges::move(files_of_model(file), std::back_inserter(files));
  }
  std::ranges::copy_if(settings_of_run(path), std::back_inserter(files), is_file);
  return files;
}

/// Calls `check` with each input, and with the files that it stands for, as inputs of the same name.
template <class Check>
void check_each(const std::vector<NamedFile>& inputs, const Check& check) {
  for (const NamedFile& input : inputs) {
    check(input);
    for (const std::string& file : files_behind(input.path)) check(NamedFile{input.name, file});
  }
}

std::string displayed(const std::string& path, const char* stream) {
  return path == "-" ? stream : "'" + path + "'";
}

/// Returns an output as the subject of a message.
std::string subject(const NamedFile& output) {
  const std::string file = displayed(output.path, "standard output");
  return output.name.empty() ? file : output.name + ": " + file;
}

/// Returns an output as the object of a message.
std::string object(const NamedFile& output) {
  const std::string file = displayed(output.path, "standard output");
  return output.name.empty() ? file : file + " of " + output.name;
}

/// Returns what is the same for all names of an output, which need not exist yet; none for devices and pipes.
std::optional<std::string> place(const std::string& path) {
  if (const auto of_file = identity(path, STDOUT_FILENO))
    return fmt::format("{}:{}", of_file->first, of_file->second);
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return std::nullopt;  // such as /dev/null
  fs::path target = fs::absolute(path, ignored);
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, ignored); ++i)
    target = target.parent_path() / fs::read_symlink(target, ignored);
  target = fs::weakly_canonical(target, ignored);
  return target.empty() ? std::nullopt : std::optional(target.string());
}

}  // namespace

void refuse_same_output(const std::vector<NamedFile>& outputs) {
  std::map<std::string, const NamedFile*> earlier;
  for (const NamedFile& output : outputs) {
    const std::optional<std::string> key = place(output.path);
    if (!key) continue;
    const auto [same, is_new] = earlier.emplace(*key, &output);
    if (!is_new)
      throw UsageError("{} is the same file as {}; write to two files", subject(output),
                       object(*same->second));
  }
}

void refuse_overwriting(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  std::map<Identity, const NamedFile*> written;
  for (const NamedFile& output : outputs) {
    if (const auto of_file = identity(output.path, STDOUT_FILENO)) written.emplace(*of_file, &output);
  }
  if (written.empty()) return;
  check_each(inputs, [&](const NamedFile& input) {
    const std::optional<Identity> read = identity(input.path, STDIN_FILENO);
    const auto same = read ? written.find(*read) : written.end();
    if (same == written.end()) return;
    throw UsageError("{} is the same file as {} of {}, which would be lost; write to another",
                     subject(*same->second), displayed(input.path, "standard input"), input.name);
  });
}

void refuse_replacing(const NamedFile& folder, const std::vector<NamedFile>& inputs) {
  const std::optional<Identity> replaced = identity(folder.path, -1);
  if (!replaced) return;
  check_each(inputs, [&](const NamedFile& input) {
    std::error_code ignored;  // what cannot be found is not in the folder
    const std::string file = std::filesystem::weakly_canonical(input.path, ignored).string();
    if (file.empty() || identity(parent_folder(file), -1) != replaced) return;
    throw UsageError("{}: the folder '{}' has '{}' of {}, which would be lost; write to another", folder.name,
                     folder.path, input.path, input.name);
  });
}

}  // namespace nmt
