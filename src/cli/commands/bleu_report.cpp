#include "cli/commands/bleu_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text/utf8.h"

namespace nmt {

std::string cell(const Verdict& verdict, const ReportSettings& settings) {
  const Score& score = verdict.score;
  const int width = settings.width + score.more_digits;
  std::string text = fmt::format("{:.{}f}", score.value, width);
  if (score.confidence) text += fmt::format(" ({})", plus_minus(*score.confidence, width));
  if (verdict.p_value)
    text += fmt::format(" p = {:.4f}{}", *verdict.p_value, *verdict.p_value <= 0.05 ? "*" : " ");
  return text;
}

std::string about_p_values(const ReportSettings& settings, const std::string& baseline) {
  return fmt::format(
      "p ({}): probability of a difference from '{}' at least this large\n"
      "if both were equally good; *: p <= 0.05",
      settings.test, baseline);
}

namespace {

using Texts = std::vector<std::string>;
using Systems = std::vector<SystemVerdicts>;

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string json_list(const Texts& objects) {
  return objects.size() == 1 ? objects[0] + '\n' : fmt::format("[\n{}\n]\n", fmt::join(objects, ",\n"));
}

/// Returns a score in the requested form.
std::string text_of(const Score& score, const ReportSettings& settings, bool in_one_line) {
  if (settings.json) return score.json(settings.width, in_one_line);
  return settings.score_only ? score.number(settings.width) : score.text(settings.width);
}

std::string one_system(const SystemVerdicts& system, const ReportSettings& settings) {
  Texts texts;
  std::size_t left = 0;
  for (const Verdict& verdict : system.verdicts) {
    texts.push_back(text_of(verdict.score, settings, false));
    left = std::max(left, texts.back().find('='));
  }
  if (settings.json || settings.score_only) return json_list(texts);
  std::string lines;
  for (const std::string& text : texts) lines += std::string(left - text.find('='), ' ') + text + '\n';
  return lines;
}

std::string json_value(const Verdict& verdict, const ReportSettings& settings) {
  const Score& score = verdict.score;
  if (settings.test.empty() && !score.confidence) return json_text(score.number(settings.width));
  const auto number = [](std::optional<double> value) { return value ? json_number(*value) : "null"; };
  const auto& confidence = score.confidence;
  return fmt::format(
      "{{\n            \"score\": {},\n            \"p_value\": {},\n            \"mean\": {},\n"
      "            \"ci\": {}\n        }}",
      number(score.value), number(verdict.p_value),
      number(confidence ? std::optional(confidence->mean) : std::nullopt),
      number(confidence ? std::optional(confidence->half_width) : std::nullopt));
}

std::string json_of_systems(const Systems& systems, const ReportSettings& settings) {
  Texts objects;
  for (const SystemVerdicts& system : systems) {
    Texts fields = {fmt::format("        \"system\": {}", json_text(system.name))};
    for (const Verdict& verdict : system.verdicts) {
      fields.push_back(
          fmt::format("        {}: {}", json_text(verdict.score.name), json_value(verdict, settings)));
    }
    objects.push_back(fmt::format("    {{\n{}\n    }}", fmt::join(fields, ",\n")));
  }
  return fmt::format("[\n{}\n]\n", fmt::join(objects, ",\n"));
}

std::string scores_of_systems(const Systems& systems, const ReportSettings& settings) {
  std::string lines;
  for (const SystemVerdicts& system : systems) {
    lines += system.name;
    for (const Verdict& verdict : system.verdicts) lines += '\t' + verdict.score.number(settings.width);
    lines += '\n';
  }
  return lines;
}

/// Formats a table: the first column is left-aligned, the others are right-aligned, each as wide as its
/// widest text.
std::string table(const std::vector<Texts>& rows) {
  std::string lines;
  std::vector<std::size_t> widths(rows[0].size());
  for (const Texts& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters_in(row[i]));
  }
  for (const Texts& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("   {:>{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + '\n';
  }
  return lines;
}

std::string table_of_systems(const Systems& systems, const ReportSettings& settings) {
  std::vector<Texts> rows(1);
  rows[0].emplace_back("System");
  std::vector<Texts> signatures;
  for (const auto& [score, p_value] : systems[0].verdicts) {
    rows[0].push_back(score.name + (score.confidence ? " (μ ± 95% CI)" : ""));
    signatures.push_back({score.name, score.signature_text()});
  }
  for (const SystemVerdicts& system : systems) {
    rows.push_back({system.name});
    for (const Verdict& verdict : system.verdicts) rows.back().push_back(cell(verdict, settings));
  }
  std::string text = table(rows) + '\n';
  if (!settings.test.empty()) {
    text += about_p_values(settings, systems[0].name) + "\n\n";
  }
  for (const Texts& signature : signatures) text += fmt::format("{:<8}{}\n", signature[0], signature[1]);
  return text;
}

}  // namespace

std::string corpus_report(const Systems& systems, const ReportSettings& settings) {
  if (systems.size() == 1) return one_system(systems[0], settings);
  if (settings.json) return json_of_systems(systems, settings);
  return settings.score_only ? scores_of_systems(systems, settings) : table_of_systems(systems, settings);
}

std::string segment_report(const std::vector<Score>& scores, const ReportSettings& settings) {
  Texts texts;
  for (const Score& score : scores) texts.push_back(text_of(score, settings, true));
  if (!settings.json) return fmt::format("{}\n", fmt::join(texts, "\t"));
  return texts.size() == 1 ? texts[0] + '\n' : fmt::format("[{}]\n", fmt::join(texts, ", "));
}

}  // namespace nmt
