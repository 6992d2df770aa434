// --alignment and what belongs to it, for commands that print translations.
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

/// `--alignment-layer` and `--alignment-head`, each of which `finish` completes.
void add_attention_choice(
    Options& options, AlignmentSettings& target, const std::function<void(Option&)>& finish = [](Option&) {});

/// `--alignment`, `--alignment-layer`, `--alignment-head`. The latter have a bearing on these `other`
/// settings, too.
void add_alignment_options(Options& options, AlignmentOptions& target,
                           const std::vector<std::string>& others = {});

/// Throws UsageError for a form that is none.
void check(const Options& options, const AlignmentOptions& alignment);

/// What --alignment asks for; it was checked.
AlignmentForm form_of(const std::string& form);

/// hard: "0-0 1-2"; a threshold between 0 and 1: the same for all words above it; soft: of each target word,
/// and of the end, the weights of all source words and of the end, commas between them.
std::string format(const Alignment& alignment, const std::string& form);

}  // namespace nmt
