// An NCCL communicator that can be aborted while it waits for others.
#pragma once

#include <nccl.h>

#include <functional>
#include <mutex>
#include <string>

#include "backend/cuda/runtime/watchdog.h"

namespace nmt::cuda {

/// The functions used here; each is documented by NVIDIA under the name that nccl_communicator.cpp looks up.
struct Nccl {
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGetLastError) last_error;
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRankConfig) init;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclCommFinalize) finalize;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclReduceScatter) reduce_scatter;
  decltype(&ncclAllGather) all_gather;
};

/// Returns the functions, opening the library on the first call. Throws UsageError if there is none.
const Nccl& nccl();

/// Throws Error with NCCL's own message, and the GPU of the calling thread, unless the status is success.
void check(ncclResult_t status);

/// The NCCL communicator of one rank. NCCL's calls do not block in it, so the lock is held only briefly, and
/// abort() takes effect at any time, also while ranks join.
class NcclCommunicator {
 public:
  /// `watchdog`: of the GPU.
  explicit NcclCommunicator(GpuWatchdog& watchdog) : watchdog_(watchdog) {}
  /// Leaves the communicator.
  ~NcclCommunicator() { leave(); }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Returns when all ranks of the id have joined. Call once. Throws RankEnded after abort(), and Error,
  /// after which the communicator is aborted.
  void join(const ncclUniqueId& id, int rank, int size);
  /// Makes a collective call, and returns when it is on its stream. Throws RankEnded after abort(), and
  /// Error.
  void call(const std::function<ncclResult_t(ncclComm_t)>& function);
  /// Returns when all ranks have finished pending calls and also leave, or one has aborted.
  void leave() noexcept;
  /// Ends pending calls, for good. Thread-safe.
  void abort() noexcept;

  /// Returns an error that has occurred on the ranks in the meantime, as NCCL's message; empty: none, or
  /// unknown at this moment. Thread-safe; does not wait.
  std::string error();

 private:
  /// Returns when the operation that returned this status is complete. Throws RankEnded and Error.
  void finish(std::unique_lock<std::mutex>& lock, ncclResult_t status);
  /// Aborts and throws Error, because NCCL cannot use a communicator that has failed.
  [[noreturn]] void fail(ncclResult_t status);
  void give_up() noexcept;

  GpuWatchdog& watchdog_;
  std::mutex guard_;  // protects everything below, and NCCL's calls
  ncclComm_t communicator_ = nullptr;
  bool aborted_ = false;
};

}  // namespace nmt::cuda
