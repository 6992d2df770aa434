#include "ranks/joined_ranks.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

class JoinedRank final : public ProcessGroup {
 public:
  JoinedRank(ProcessGroup& processes, ProcessGroup& threads, int rank, int size,
             const std::function<void()>& leave_processes)
      : processes_(processes),
        threads_(threads),
        rank_(rank),
        size_(size),
        leave_processes_(leave_processes) {
    JoinedRank::when_failed({});
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void broadcast(std::span<std::byte> message) override {
    if (leads()) processes_.broadcast(message);
    threads_.broadcast(message);
  }
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    const std::vector<std::byte> here = threads_.gather(message);
    return leads() ? processes_.gather(here) : here;
  }
  void meet_in_process() override { threads_.meet_in_process(); }
  void when_failed(const std::function<void()>& abort) override {
    // The callback may run after this object is destroyed.
    threads_.when_failed([leads = leads(), &leave_processes = leave_processes_, abort] {
      if (leads) leave_processes();
      if (abort) abort();
    });
  }

 private:
  /// Whether this rank communicates with other processes.
  bool leads() const { return threads_.rank() == 0; }

  ProcessGroup& processes_;
  ProcessGroup& threads_;
  int rank_, size_;
  const std::function<void()>& leave_processes_;
};

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

JoinedRanks number_ranks(ProcessGroup& processes, std::size_t here) {
  JoinedRanks ranks{.first = 0, .here = static_cast<int>(here), .all = 0};
  int process = 0;
  for (const std::string& count : all_gather_text(processes, std::to_string(here))) {
    if (process++ < processes.rank()) ranks.first += std::stoi(count);
    ranks.all += std::stoi(count);
  }
  return ranks;
}

void run_joined_ranks(ProcessGroup& processes, const JoinedRanks& ranks,
                      const std::function<void()>& leave_processes,
                      const std::function<void(ProcessGroup&, std::size_t)>& work) {
  run_ranks(ranks.here, [&](Communicator& of_process) {
    JoinedRank group(processes, of_process, ranks.first + of_process.rank(), ranks.all, leave_processes);
    work(group, static_cast<std::size_t>(of_process.rank()));
  });
}

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
