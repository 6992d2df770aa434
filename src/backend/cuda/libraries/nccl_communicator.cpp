#include "backend/cuda/libraries/nccl_communicator.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "backend/cuda/libraries/library.h"
#include "backend/cuda/runtime/status.h"
#include "tensor/communicator.h"

namespace nmt::cuda {

namespace {

Nccl open_nccl() {
  const Library library(fmt::format("libnccl.so.{}", NCCL_MAJOR),
                        "install NCCL, or set LD_LIBRARY_PATH to its folder");
  return {
      .error_string = library.find<&ncclGetErrorString>("ncclGetErrorString"),
      .last_error = library.find<&ncclGetLastError>("ncclGetLastError"),
      .unique_id = library.find<&ncclGetUniqueId>("ncclGetUniqueId"),
      .init = library.find<&ncclCommInitRankConfig>("ncclCommInitRankConfig"),
      .async_error = library.find<&ncclCommGetAsyncError>("ncclCommGetAsyncError"),
      .finalize = library.find<&ncclCommFinalize>("ncclCommFinalize"),
      .destroy = library.find<&ncclCommDestroy>("ncclCommDestroy"),
      .abort = library.find<&ncclCommAbort>("ncclCommAbort"),
      .all_reduce = library.find<&ncclAllReduce>("ncclAllReduce"),
      .reduce_scatter = library.find<&ncclReduceScatter>("ncclReduceScatter"),
      .all_gather = library.find<&ncclAllGather>("ncclAllGather"),
  };
}

}  // namespace

const Nccl& nccl() {
  static const Nccl table = open_nccl();
  return table;
}

void check(ncclResult_t status) {
  if (status != ncclSuccess) fail(fmt::format("NCCL: {}", nccl().error_string(status)));
}

namespace {

constexpr std::chrono::microseconds kPause{50};  // between polls of an operation in progress

std::string words_of(ncclResult_t status, ncclComm_t communicator) {
  const std::string what = nccl().error_string(status);
  const char* detail = communicator == nullptr ? nullptr : nccl().last_error(communicator);
  return detail == nullptr || *detail == '\0' ? what : fmt::format("{}: {}", what, detail);
}

}  // namespace

void NcclCommunicator::join(const ncclUniqueId& id, int rank, int size) {
  const GpuWatchdog::Call here(watchdog_);
  std::unique_lock lock(guard_);
  if (aborted_) throw RankEnded();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  finish(lock, nccl().init(&communicator_, size, id, rank, &config));
}

void NcclCommunicator::call(const std::function<ncclResult_t(ncclComm_t)>& function) {
  const GpuWatchdog::Call here(watchdog_);
  std::unique_lock lock(guard_);
  if (communicator_ == nullptr) throw RankEnded();
  finish(lock, function(communicator_));
}

void NcclCommunicator::leave() noexcept {
  try {
    call(nccl().finalize);
  } catch (const std::exception&) {  // the error was reported where it occurred
    return abort();
  }
  const GpuWatchdog::Call here(watchdog_);
  const std::lock_guard lock(guard_);
  if (ncclComm_t own = std::exchange(communicator_, nullptr)) static_cast<void>(nccl().destroy(own));
}

void NcclCommunicator::abort() noexcept {
  const GpuWatchdog::Call here(watchdog_);
  const std::lock_guard lock(guard_);
  give_up();
}

std::string NcclCommunicator::error() {
  const std::unique_lock lock(guard_, std::try_to_lock);
  if (!lock.owns_lock() || communicator_ == nullptr) return {};
  ncclResult_t status = ncclSuccess;
  const ncclResult_t asked = nccl().async_error(communicator_, &status);
  if (asked != ncclSuccess) status = asked;
  return status == ncclSuccess || status == ncclInProgress ? std::string() : words_of(status, communicator_);
}

void NcclCommunicator::finish(std::unique_lock<std::mutex>& lock, ncclResult_t status) {
  while (status == ncclInProgress) {
    lock.unlock();
    std::this_thread::sleep_for(kPause);
    lock.lock();
    if (communicator_ == nullptr) throw RankEnded();
    if (const ncclResult_t asked = nccl().async_error(communicator_, &status); asked != ncclSuccess)
      status = asked;
  }
  if (status != ncclSuccess) fail(status);
}

void NcclCommunicator::fail(ncclResult_t status) {
  const std::string words = words_of(status, communicator_);
  give_up();
  cuda::fail(fmt::format("NCCL: {}", words));
}

void NcclCommunicator::give_up() noexcept {
  aborted_ = true;
  if (ncclComm_t own = std::exchange(communicator_, nullptr)) static_cast<void>(nccl().abort(own));
}

}  // namespace nmt::cuda
