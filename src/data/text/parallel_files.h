// The files of parallel text.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/text/pair_reader.h"

namespace nmt {

/// Returns a setting of a run by its name, such as valid-source; several values are separated by commas or
/// spaces.
using RunSetting = std::function<std::optional<std::string>(const std::string& name)>;

/// The names of the files of parallel text: a source and a target, one file with both as columns, or only a
/// target for a language model.
struct ParallelFiles {
  std::optional<std::string> source, target, tsv;
  std::vector<Column> columns = {Column::source,
                                 Column::target};  // of `tsv`; see PairReader::from_first_columns()

  /// Returns the validation text of a run with these settings.
  static ParallelFiles of_validation(const RunSetting& setting);

  bool given() const { return target || tsv; }
  bool has_source() const { return source || tsv; }
  /// Returns the given files, the one with the target last.
  std::vector<std::string> files() const;
  /// Opens the text, which must be given; `most`: as in PairReader, for files without columns. Throws Error
  /// if a file cannot be opened.
  PairReader open(const JobContext& job = {}, std::optional<std::size_t> most = std::nullopt) const;

  bool operator==(const ParallelFiles&) const = default;
};

}  // namespace nmt
