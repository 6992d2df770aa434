#include "engine/asked_settings.h"

#include <vector>

#include "common/error.h"

namespace nmt {
namespace {

struct Exclusion {
  const char* name;
  std::vector<const char*> others;
  const char* why;
};

const std::vector<Exclusion>& exclusions() {
  static const std::vector<Exclusion> all = {
      {"sample",
       {"beam", "beam_rules", "patience", "length_penalty", "length_normalization", "word_penalty",
        "coverage_penalty", "end_threshold", "beam_groups", "diversity", "constraints"},
       "samples are drawn, not searched for"},
      {"mbr", {"alternatives"}, "alternatives are all told"},
      {"oracle", {"alternatives"}, "alternatives are all told"},
  };
  return all;
}

}  // namespace

void check_together(const AskedSettings& asked, const SearchSettings& search) {
  for (const Exclusion& exclusion : exclusions()) {
    if (!asked.names.contains(exclusion.name)) continue;
    for (const char* other : exclusion.others) {
      if (asked.names.contains(other))
        throw UsageError("{} and {} exclude each other: {}; leave one out", asked.called(exclusion.name),
                         asked.called(other), exclusion.why);
    }
  }
  if (asked.names.contains("diversity") && search.beam_groups == 1)
    throw UsageError("{} needs several groups; give {}", asked.called("diversity"),
                     asked.called("beam_groups"));
  for (const char* name : {"distinct", "alternatives"}) {
    if (asked.names.contains(name) && search.n_best == 1)
      throw UsageError("{} needs several translations; give {}", asked.called(name), asked.called("n_best"));
  }
}

void check_right_to_left(const AskedSettings& asked, const std::string& model) {
  // What they are about is known of translations from their beginning on, which such a model finds last.
  for (const char* name : {"prefix", "constraints", "avoid", "alternatives"}) {
    if (asked.names.contains(name))
      throw UsageError("{} needs models from left to right, but '{}' goes from right to left; leave it out",
                       asked.called(name), model);
  }
}

void check_beam(const AskedSettings& asked, const SearchSettings& search, const std::string& name,
                int found) {
  if (asked.names.contains("sample") || asked.names.contains("alternatives") || found <= search.beam) return;
  throw UsageError("{} {} needs a beam as wide, but {} is {}; widen it", asked.called(name), found,
                   asked.called("beam"), search.beam);
}

}  // namespace nmt
