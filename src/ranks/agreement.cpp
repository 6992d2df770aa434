#include "ranks/agreement.h"

#include <algorithm>
#include <sstream>

#include "common/error.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

std::string text_of(const RunFacts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{}\t{}\n", name, value);
  return text;
}

RunFacts facts_of(const std::string& text) {
  RunFacts facts;
  std::istringstream lines(text);
  for (std::string name, value; std::getline(lines, name, '\t') && std::getline(lines, value);)
    facts.emplace_back(name, value);
  return facts;
}

/// Returns the value of a name, or "not set".
std::string value_in(const RunFacts& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &RunFacts::value_type::first);
  return found == facts.end() || found->second.empty() ? "not set" : found->second;
}

}  // namespace

void check_agreement(ProcessGroup& group, const std::vector<std::string>& names, const RunFacts& facts) {
  const std::vector<std::string> texts = all_gather_text(group, text_of(facts));
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] == texts[0]) continue;
    const RunFacts first = facts_of(texts[0]), other = facts_of(texts[rank]);
    RunFacts all = first;
    all.insert(all.end(), other.begin(), other.end());
    for (const auto& [name, ignored] : all) {
      const std::string here = value_in(first, name), there = value_in(other, name);
      if (here == there) continue;
      throw UsageError(
          "{} differs from rank 0: {} is {} there, and {} here; all ranks need the same settings "
          "and files",
          names[rank], name, there, here);
    }
  }
}

}  // namespace nmt
