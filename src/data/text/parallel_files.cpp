#include "data/text/parallel_files.h"

#include <algorithm>

namespace nmt {

ParallelFiles ParallelFiles::of_validation(const RunSetting& setting) {
  ParallelFiles text{
      .source = setting("valid-source"), .target = setting("valid-target"), .tsv = setting("valid-tsv")};
  if (std::optional<std::string> names = setting("tsv-columns")) {
    std::ranges::replace(*names, ' ', ',');
    text.columns = columns_named({*names});
  }
  return text;
}

std::vector<std::string> ParallelFiles::files() const {
  std::vector<std::string> files;
  for (const auto* file : {&source, &target, &tsv}) {
    if (*file) files.push_back(**file);
  }
  return files;
}

PairReader ParallelFiles::open(const JobContext& job, std::optional<std::size_t> most) const {
  if (tsv) return PairReader::from_first_columns(*tsv, columns, job);
  if (!source) return PairReader::target_alone(target.value(), most, job);
  return {*source, target.value(), most, job};
}

}  // namespace nmt
