// Where parallel text is.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/text/pair_reader.h"

namespace nmt {

/// A setting of a run by its name, such as valid-source; several values with commas or spaces between them.
using RunSetting = std::function<std::optional<std::string>(const std::string& name)>;

/// Names the files of parallel text: a source and a target, one file with both as columns, or the target
/// alone for a language model.
struct ParallelFiles {
  std::optional<std::string> source, target, tsv;
  std::vector<Column> columns = {Column::source, Column::target};  // of `tsv`; see from_first_columns()

  /// The validation text of a run with these settings.
  static ParallelFiles of_validation(const RunSetting& setting);

  bool given() const { return target || tsv; }
  bool has_source() const { return source || tsv; }
  /// Those that are given, the one with the target last.
  std::vector<std::string> files() const;
  /// Opens a text that is given; `most`: as PairReader takes it, for files without columns. Throws Error when
  /// a file cannot be opened.
  PairReader open(const JobContext& job = {}, std::optional<std::size_t> most = std::nullopt) const;

  bool operator==(const ParallelFiles&) const = default;
};

}  // namespace nmt
