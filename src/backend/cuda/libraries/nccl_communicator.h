// A communicator of NCCL's that can be given up while others are waited for.
#pragma once

#include <nccl.h>

#include <functional>
#include <mutex>
#include <string>

#include "backend/cuda/runtime/watchdog.h"

namespace nmt::cuda {

/// One of the ranks of an id. NCCL's calls do not block in it, so a lock is held for as long as one takes,
/// and abort() comes through at any time, while ranks join, too.
class NcclCommunicator {
 public:
  /// `watchdog`: of the card.
  explicit NcclCommunicator(CardWatchdog& watchdog) : watchdog_(watchdog) {}
  /// Leaves.
  ~NcclCommunicator() { leave(); }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Returns when all ranks of the id have joined. Once. Throws RankEnded after abort(), and Error, after
  /// which it is as aborted.
  void join(const ncclUniqueId& id, int rank, int size);
  /// Makes a collective call, and returns when it is on its stream. Throws RankEnded after abort(), and
  /// Error.
  void call(const std::function<ncclResult_t(ncclComm_t)>& function);
  /// Returns when all ranks have ended what was under way and leave, too, or one has aborted.
  void leave() noexcept;
  /// Ends what is under way, for good. On any thread.
  void abort() noexcept;

  /// What has gone wrong with the ranks meanwhile, in NCCL's words; empty: nothing, or it cannot be told now.
  /// On any thread; waits for nobody.
  std::string error();

 private:
  /// Returns when what was begun with this status is done. Throws RankEnded and Error.
  void finish(std::unique_lock<std::mutex>& lock, ncclResult_t status);
  /// Gives up and throws Error, since NCCL has nothing more for a communicator that has failed.
  [[noreturn]] void fail(ncclResult_t status);
  void give_up() noexcept;

  CardWatchdog& watchdog_;
  std::mutex guard_;  // of all below, and of NCCL's calls
  ncclComm_t communicator_ = nullptr;
  bool aborted_ = false;
};

}  // namespace nmt::cuda
