#include "cli/training/run_outcome.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/program.h"
#include "cli/training/run_average.h"
#include "train/meter.h"
#include "train/run/checkpoints.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

void log_best(const std::string& run, const BestValidations::Entry& best, const std::string& best_by) {
  const std::string figure = best_by == "perplexity" ? perplexity_text(best.value)
                                                     : figure_text(best.value, is_metric(best_by) ? 1 : 4);
  const std::string model = RunDirectory::checkpoint_path(run, best.step);
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  const bool is_kept = std::filesystem::exists(model, ignored);
  log_info("best validation: {} {} at step {}{}", best_by, figure, best.step,
           is_kept ? fmt::format("; its model is '{}'", model) : "");
}

}  // namespace

std::string shell_word(const std::string& path) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("./_-+,@").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const std::string word = path.starts_with('-') ? "./" + path : path;
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void log_outcome(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source) {
  const std::string use = has_source ? "nmt translate" : "nmt score --target -";
  const std::string run = without_slashes(path);
  if (!best.empty()) log_best(run, best.front(), best_by);
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  const bool has_config = std::filesystem::exists(RunDirectory::config_path(run), ignored);
  if (has_config && !checkpoints_to_average(run, figure_of_comparison(run)).empty()) {
    log_info("next: nmt average {} && {} -m {}", shell_word(run), use,
             shell_word(RunDirectory::average_path(run)));
  } else {
    log_info("next: {} -m {}", use, shell_word(run));
  }
}

}  // namespace nmt
