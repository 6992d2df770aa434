#include "cli/output.h"

#include "cli/standard_output.h"

namespace nmt::cli {

Output::Output(const std::string& path) : file_(path == "-" ? nullptr : std::make_unique<AtomicFile>(path)) {}

void Output::write(std::string_view text) {
  file_ ? file_->write(text) : write_output(text);
}

void Output::commit() {
  if (file_) file_->commit();
}

}  // namespace nmt::cli
