#include "ranks/joined_ranks.h"

#include <string>
#include <vector>

#include "tensor/communicator.h"
#include "tensor/thread_ranks.h"

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

}  // namespace nmt
