// --alignment and related options, for commands that print translations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "translate/scoring/alignment.h"

namespace nmt {

struct AlignmentOptions {
  std::optional<std::string> form;  // hard, soft, or a threshold
  AlignmentSettings settings;
};

/// Adds `--alignment-layer` and `--alignment-head`; `finish` completes each.
void add_attention_choice(
    Options& options, AlignmentSettings& target, const std::function<void(Option&)>& finish = [](Option&) {});

/// Adds `--alignment`, `--alignment-layer` and `--alignment-head`. The last two also apply if one of the
/// `other` settings is given.
void add_alignment_options(Options& options, AlignmentOptions& target,
                           const std::vector<std::string>& others = {});

/// Throws UsageError for an invalid form.
void check(const Options& options, const AlignmentOptions& alignment);

/// Parses a checked value of --alignment.
AlignmentForm form_of(const std::string& form);

/// Formats an alignment. hard: "0-0 1-2", one source word per target word; a threshold between 0 and 1: all
/// pairs above it, in the same notation; soft: for each target word and for the end, the weights of all
/// source words and of the end, separated by commas.
std::string format(const Alignment& alignment, const std::string& form);

}  // namespace nmt
