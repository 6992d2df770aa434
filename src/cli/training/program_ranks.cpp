#include "cli/training/program_ranks.h"

#include "cli/program.h"
#include "common/process/signals.h"

namespace nmt {
namespace {

void tell(const std::string& error) {
  program_log().set_carrier({});  // errors were sent to rank 0, which is gone
  program_log().line(LogLevel::error, error);
}

/// Joins the ranks, and reports errors of this process to them during its lifetime.
class ProgramRanks {
 public:
  ProgramRanks() : ranks_(LaunchedRanks::join({.job = program_job(), .tell = tell, .end = end_at_once})) {
    if (ranks_ == nullptr) return;
    if (ranks_->communicator().rank() > 0) {
      program_log().set_carrier([this](std::string_view error) { ranks_->fail(error); });
    } else {
      set_exit_hook([this] { ranks_->end(1); });
    }
  }
  ~ProgramRanks() {
    program_log().set_carrier({});
    set_exit_hook({});
  }
  ProgramRanks(const ProgramRanks&) = delete;
  ProgramRanks& operator=(const ProgramRanks&) = delete;

  LaunchedRanks* get() const { return ranks_.get(); }

 private:
  std::unique_ptr<LaunchedRanks> ranks_;
};

}  // namespace

LaunchedRanks* program_ranks() {
  static const ProgramRanks ranks;
  return ranks.get();
}

}  // namespace nmt
