#include "cli/files/document_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "cli/program.h"
#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/io/atomic_file.h"
#include "common/io/byte_source.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/io/packer.h"
#include "common/io/spool.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"
#include "documents/charset.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

/// Reads a stream, as it is, to disk.
MemoryMap map_stream(const std::string& path) {
  const FileDescriptor opened(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int file = path == "-" ? STDIN_FILENO : opened.get();
  Spool spool;
  std::array<char, kReadAtOnce> buffer;
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count == 0) return spool.map();
    if (count > 0) {
      spool.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    InterruptGuard::check();
    if (errno != EINTR) throw Error("cannot read '{}': {}", display_name(path), system_message(errno));
  }
}

/// Returns the format of a file; null: it is not known.
const DocumentFormat* known_format(const fs::path& path) {
  const DocumentFormat* const format = document_format_of(path.string());
  if (format != nullptr || path.extension() != ".xml" || !is_file(path.string())) return format;
  return document_format_of(path.string(), map_file(path.string()).text());
}

const DocumentFormat& format_of(const DocumentOptions& options, const std::string& path) {
  const DocumentFormat* const format = options.format ? document_format(*options.format) : known_format(path);
  if (format != nullptr) return *format;
  std::error_code missing;
  if (path != "-" && !fs::exists(path, missing))
    throw Error("cannot read '{}': {}", path, system_message(ENOENT));
  if (fs::path(path).extension() == ".xml")
    throw UsageError(
        "--document '{}': this XML is neither DocBook nor XLIFF; give its format with "
        "--document-format, such as html",
        path);
  throw UsageError("--document '{}': unknown format; give it with --document-format ({})", path,
                   join(document_format_names(), ", "));
}

}  // namespace

DocumentFiles::DocumentFiles(const DocumentOptions& options, const std::string& output,
                             std::vector<NamedFile> inputs)
    : settings_{.keys = split_at_commas(options.keys.value_or("")),
                .encoding = options.encoding.value_or("")},
      as_tmx_(options.output_format == "tmx" || (!options.output_format && output.ends_with(".tmx"))) {
  if (options.encoding && !Charset::is_known(*options.encoding))
    throw UsageError("--document-encoding: the encoding '{}' is not known; iconv --list lists encodings",
                     *options.encoding);
  const std::string path = options.path.value_or("-");
  is_folder_ = fs::is_directory(path);
  if (is_folder_) {
    if (output == "-")
      throw UsageError("--document '{}' is a folder; name a folder for the translations with --output", path);
    if (options.format)
      throw UsageError(
          "--document-format is for a single document; in a folder, names of files tell formats");
    add_folder(path, output);
    check_outputs(std::move(inputs));
    check_keys();
    return;
  }
  const DocumentFormat& format = format_of(options, path);
  if (!packed_ending(output).empty())
    throw UsageError("--output '{}': documents are not compressed; leave {} out", output,
                     packed_ending(output));
  if (fs::is_directory(output) || output.ends_with('/'))
    throw UsageError("--output '{}' is a folder; name a file", output);
  const DocumentFormat* const named = document_format_of(output);
  if (!as_tmx_ && named != nullptr && named != &format)
    throw UsageError(
        "--output '{}': a translation has the format of its document, which is {}; change the name", output,
        format.name);
  if (output == "-" && format.is_zip && !as_tmx_ && ::isatty(STDOUT_FILENO) == 1)
    throw UsageError("a document of the format {} is not for the terminal; name a file with --output",
                     format.name);
  AtomicFile::check(output);
  files_.push_back({path, output, &format});
  check_keys();
}

void DocumentFiles::add_folder(const std::string& folder, const std::string& output) {
  const fs::path from = fs::weakly_canonical(folder), to = fs::weakly_canonical(output);
  const auto [in_from, in_to] = std::ranges::mismatch(from, to);
  if (in_from == from.end())
    throw UsageError("--output '{}' is in the folder of --document; name another folder", output);
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    std::error_code missing;
    if (entry.is_regular_file(missing)) {
      paths.push_back(entry.path());
    } else if (entry.is_symlink()) {
      log_warning("'{}' is left out: it is a link, but not to a file", entry.path().string());
    }
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    const DocumentFormat* const format = known_format(path);
    if (format == nullptr) {
      log_warning("'{}' is left out: its format is not known", path.string());
      continue;
    }
    const fs::path target = fs::path(output) / path.lexically_relative(folder);
    files_.push_back({path.string(), target.string() + (as_tmx_ ? ".tmx" : ""), format});
  }
  if (files_.empty())
    throw Error("'{}' has no document of a known format ({})", folder, join(document_format_names(), ", "));
}

void DocumentFiles::check_keys() const {
  if (settings_.keys.empty()) return;
  if (std::ranges::any_of(files_, [](const File& file) { return file.format->has_keys; })) return;
  throw UsageError("--document-keys is for JSON and YAML, but '{}' is of the format {}",
                   display_name(files_[0].input), files_[0].format->name);
}

void DocumentFiles::check_outputs(std::vector<NamedFile> inputs) const {
  std::vector<NamedFile> outputs;
  for (const File& file : files_) {
    inputs.push_back({"--document", file.input});
    outputs.push_back({"", file.output});
  }
  refuse_overwriting(outputs, inputs);
  refuse_same_output(outputs);
}

void DocumentFiles::translate(const File& file, const Translate& translate) const {
  const MemoryMap map = AtomicFile::is_stream(file.input) ? map_stream(file.input) : map_file(file.input);
  if (is_folder_) fs::create_directories(fs::path(file.output).parent_path());
  AtomicFile output(file.output, *program_job().stop);
  const DocumentInput source{map.text(), display_name(file.input), settings_};
  translate(source, *file.format, as_tmx_, [&output](std::string_view bytes) { output.write(bytes); });
  map.check_unchanged();
  output.commit();
}

void DocumentFiles::translate(const Translate& translate) const {
  std::size_t failed = 0;
  for (const File& file : files_) {
    try {
      this->translate(file, translate);
    } catch (const Error& error) {
      if (!is_folder_) throw;
      log_warning("'{}' is not translated: {}", file.input, error.what());
      ++failed;
    }
  }
  if (failed > 0) throw Error("{} of {} documents were not translated", failed, files_.size());
}

}  // namespace nmt
