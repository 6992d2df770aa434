#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "build_id.h"
#include "common/error.h"
#include "ranks/transport.h"

namespace nmt {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a message: MPI counts in int

void check(int result) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error("MPI failed: {}", std::string_view(text, static_cast<std::size_t>(length)));
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int given = 0;
    // Open MPI yields the core in every call if there are more ranks than cores; but this program sleeps
    // while it waits.
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
    // All MPI calls are made on the thread that makes this call.
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given));
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (given < MPI_THREAD_FUNNELED)
      throw Error("MPI failed: it does not support threads (MPI_THREAD_FUNNELED)");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void begin(const std::vector<Outgoing>& to, const std::vector<Incoming>& from) override {
    for (int i = 1; i < size_; ++i) {  // begin with the next rank, so that not all ranks send to the same one
      const int source = (rank_ - i + size_) % size_, target = (rank_ + i) % size_;
      receive(from[static_cast<std::size_t>(source)], source);
      send(to[static_cast<std::size_t>(target)], target);
    }
  }

  bool done() override {
    int all = 0;
    check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE));
    if (all != 0) requests_.clear();
    return all != 0;
  }

  void leave() override { check(MPI_Finalize()); }

 private:
  MPI_Request* next_request() { return &requests_.emplace_back(); }

  void send(Outgoing message, int rank) {
    for (; !message.empty(); message = message.subspan(std::min(message.size(), kMostBytes))) {
      const int count = static_cast<int>(std::min(message.size(), kMostBytes));
      check(MPI_Isend(message.data(), count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, next_request()));
    }
  }
  void receive(Incoming message, int rank) {
    for (; !message.empty(); message = message.subspan(std::min(message.size(), kMostBytes))) {
      const int count = static_cast<int>(std::min(message.size(), kMostBytes));
      check(MPI_Irecv(message.data(), count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, next_request()));
    }
  }

  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace
}  // namespace nmt

extern "C" {

[[gnu::visibility("default")]] extern const char nmt_mpi_build[];
const char nmt_mpi_build[] = NMT_BUILD_ID;

[[gnu::visibility("default")]] nmt::Transport* nmt_join_mpi_ranks() {
  return new nmt::MpiTransport;
}
}
