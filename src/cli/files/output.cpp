#include "cli/files/output.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/program.h"
#include "common/error.h"
#include "common/io/folder.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Extensions by which nmt and other programs know what is in a file.
constexpr std::array<std::string_view, 18> kTelling = {"bin",         "csv",  "html", "json", "jsonl", "nmtc",
                                                       "npz",         "onnx", "pdf",  "png",  "pt",    "pth",
                                                       "safetensors", "spm",  "svg",  "tsv",  "yaml",  "yml"};

/// Returns the extension of a file that tells its format, which is before .gz and the like; empty for
/// streams.
std::string extension_of_contents(const std::string& path) {
  if (AtomicFile::is_stream(path)) return "";
  return extension_of(path.substr(0, path.size() - packed_ending(path).size()));
}

// Bytes of lines that are compressed as one block, and lost together if a signal ends the work.
constexpr std::size_t kPackedTogether = std::size_t{256} << 10;

}  // namespace

Output::Output(const std::string& path)
    : path_(path), file_(path, *program_job().stop), packer_(packer_for(path)) {}

bool Output::streams(const std::string& path) {
  return AtomicFile::is_stream(path) && !packer_for(path);
}

void Output::write(std::string_view text) {
  if (!packer_) return file_.write(text);
  if (is_packed_) packer_ = packer_for(path_);
  is_packed_ = false;
  packer_->pack(text, [this](std::string_view packed) { file_.write(packed); });
}

Output::~Output() {
  if (pending_ == 0) return;
  try {
    keep_packed();
  } catch (...) {  // the exception that ends the work is reported already
  }
}

void Output::write_lines(std::string_view lines) {
  if (!packer_) return file_.write_lines(lines);
  while (!lines.empty()) {
    // A block ends with the line that fills it, however lines are grouped into calls.
    const std::size_t end = lines.find('\n', kPackedTogether - pending_ - 1);
    const std::string_view some = lines.substr(0, end == std::string_view::npos ? end : end + 1);
    const std::size_t before = std::exchange(pending_, 0);  // what cannot be written is not kept
    write(some);
    pending_ = before + some.size();
    lines.remove_prefix(some.size());
    if (pending_ >= kPackedTogether) keep_packed();
  }
}

void Output::keep_packed() {
  pending_ = 0;
  end_packed();
  file_.keep();
}

void Output::end_packed() {
  packer_->finish([this](std::string_view packed) { file_.write(packed); });
  is_packed_ = true;
}

void Output::commit() {
  pending_ = 0;
  if (packer_ && !is_packed_) end_packed();
  file_.commit();
}

void check_extension(const std::string& path, std::string_view what, std::string_view own,
                     std::string_view option) {
  const std::string ending = extension_of_contents(path);
  if (ending == own || std::ranges::count(kTelling, ending) == 0) return;
  throw UsageError("{} {}: the output is {}; choose a name that ends in .{}", option, quoted(path), what,
                   own);
}

void check_binary_output(const std::string& path, std::string_view what, std::string_view own) {
  check_extension(path, what, own);
  if (path == "-" && ::isatty(STDOUT_FILENO) == 1) {
    throw UsageError(
        "--output: standard output is a terminal, and this is not text; name a file, or use a pipe");
  }
  AtomicFile::check(path);
}

std::string format_by_name(const std::string& path, const std::vector<std::string>& formats) {
  const std::string ending = extension_of_contents(path);
  if (ending.empty()) return formats.front();
  if (std::ranges::count(formats, ending) > 0) return ending;
  throw UsageError(
      "--output {}: unknown extension; choose a name that ends in {}, or the format with --format",
      quoted(path), fmt::join(formats, ", "));
}

}  // namespace nmt
