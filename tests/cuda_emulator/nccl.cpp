// NCCL: a collective call is a sequence of steps on the stream of each rank, which wait for the steps of the
// other ranks. A nonblocking communicator returns that it is in progress, and starts the operation when its
// state is queried.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/nccl_group.h"
#include "cuda_emulator/shadow.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

using Kind = Collective::Kind;

/// The call of a rank.
struct Call {
  Collective what;
  const char* name = nullptr;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
};

std::size_t size_of(ncclDataType_t type) {
  return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4 : type == ncclInt8 ? 1 : 2;
}

/// Adds `from` to `to`, rounded to the type.
template <class T, class Add>
void add_elements(std::byte* to, const std::byte* from, std::size_t count, const Add& add) {
  auto* sums = reinterpret_cast<T*>(to);
  const auto* x = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) sums[i] = add(sums[i], x[i]);
}

void add(std::byte* to, const std::byte* from, std::size_t count, ncclDataType_t type) {
  const auto plus = [](auto a, auto b) { return a + b; };
  if (type == ncclFloat64) return add_elements<double>(to, from, count, plus);
  if (type == ncclFloat32) return add_elements<float>(to, from, count, plus);
  if (type == ncclFloat16) {
    return add_elements<__half>(to, from, count, [](__half a, __half b) {
      return __float2half_rn(__half2float(a) + __half2float(b));
    });
  }
  add_elements<__nv_bfloat16>(to, from, count, [](__nv_bfloat16 a, __nv_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
  });
}

/// Returns the bytes of each part that a step transfers.
struct Piece {
  std::size_t first = 0, bytes = 0;
};

/// The parts that each rank sends or receives.
int parts_sent(Kind kind, const Group& group) {
  return kind == Kind::reduce_scatter ? group.size() : 1;
}
int parts_received(Kind kind, const Group& group) {
  return kind == Kind::all_gather ? group.size() : 1;
}

std::size_t bytes_of_part(const Collective& what) {
  return what.count * size_of(what.type);
}

void post(Group& group, std::uint64_t step, const Call& call, const Piece& piece) {
  std::byte* slot = group.slot(group.rank());
  for (int part = 0; part < parts_sent(call.what.kind, group); ++part, slot += piece.bytes) {
    const std::byte* from =
        call.send + static_cast<std::size_t>(part) * bytes_of_part(call.what) + piece.first;
    reads(from, piece.bytes, call.name);
    std::copy_n(from, piece.bytes, slot);
  }
  group.post(step, call.what);
}

/// Returns the sum over the ranks, in their order, of the data at `offset` in their slots.
std::vector<std::byte> sum(const Group& group, ncclDataType_t type, std::size_t offset, std::size_t bytes) {
  const std::byte* const first = group.slot(0) + offset;
  std::vector<std::byte> sums(first, first + bytes);
  for (int rank = 1; rank < group.size(); ++rank)
    add(sums.data(), group.slot(rank) + offset, bytes / size_of(type), type);
  return sums;
}

void receive(const Call& call, std::size_t at, const std::byte* data, std::size_t bytes) {
  wrote(call.receive + at, bytes, call.name);
  std::copy_n(data, bytes, call.receive + at);
}

void take(Group& group, std::uint64_t step, const Call& call, const Piece& piece) {
  if (!group.all_alike()) return report("ranks make different collective calls at the same time");
  if (call.what.kind == Kind::all_gather) {
    for (int rank = 0; rank < group.size(); ++rank) {
      const std::size_t part = static_cast<std::size_t>(rank) * bytes_of_part(call.what);
      receive(call, part + piece.first, group.slot(rank), piece.bytes);
    }
  } else {
    const int own = call.what.kind == Kind::reduce_scatter ? group.rank() : 0;
    const std::size_t offset = static_cast<std::size_t>(own) * piece.bytes;
    receive(call, piece.first, sum(group, call.what.type, offset, piece.bytes).data(), piece.bytes);
  }
  group.take(step);
}

/// A rank posts when all have taken the previous data, and takes when all have posted.
void enqueue_step(cudaStream_t stream, const std::shared_ptr<Group>& group, const Call& call,
                  const Piece& piece) {
  const std::uint64_t step = group->next_step();
  enqueue(stream, {[=] {
                     if (!group->aborted()) post(*group, step, call, piece);
                   },
                   [=] { return group->aborted() || group->all_taken(step - 1); }});
  enqueue(stream, {[=] {
                     if (!group->aborted()) take(*group, step, call, piece);
                   },
                   [=] { return group->aborted() || group->all_posted(step); }});
}

}  // namespace
}  // namespace simt

struct ncclComm {
  std::shared_ptr<simt::Group> group;
  bool blocking = true, has_begun = false, is_final = false;
  std::function<void()> asked;       // what it is in progress with, and has not begun
  ncclResult_t error = ncclSuccess;  // of the network
  int calls = 0;
};

using namespace simt;

namespace {

/// Communicators of this process that were neither destroyed nor aborted. Under the mutex.
std::set<ncclComm_t>& living() {
  static auto& all = *new std::set<ncclComm_t>;
  return all;
}

/// This call may wait for all GPUs of the process, one of which may be in a call that waits for this rank.
void look_at_memory_call(const std::string& call) {
  if (settings().memory_beside_collectives) return;
  const auto& all = living();
  if (!std::ranges::all_of(all, [](ncclComm_t comm) { return comm->group->calls_are_equal_here(); }))
    report(call + " while a collective call of another rank of this process waits for this one's");
}
[[maybe_unused]] const bool looks = (look_at_waits(look_at_memory_call), true);

ncclResult_t refuse_call(const std::string& why) {
  report(why);
  return ncclInvalidArgument;
}

/// Returns false, and reports a finding, if the communicator no longer exists or an earlier operation is in
/// progress.
bool may_call(const char* name, ncclComm_t comm) {
  const std::string what = name;
  if (!living().contains(comm)) return report(what + " of a communicator that is gone"), false;
  if (!comm->has_begun) return report(what + " of a communicator whose ranks have not all joined"), false;
  if (comm->asked) return report(what + " while the call before is in progress"), false;
  return true;
}

/// The network of this GPU fails after a number of calls, which then never end.
bool is_lost(ncclComm& comm) {
  return current_gpu() == settings().lost_gpu && ++comm.calls > settings().calls_until_lost;
}

/// Buffers for sending and receiving may overlap only as documented.
ncclResult_t submit(const Call& call, ncclComm_t comm, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (!may_call(call.name, comm)) return ncclInvalidArgument;
  if (comm->error != ncclSuccess) return comm->error;
  const std::shared_ptr<Group> group = comm->group;
  const auto sent = static_cast<std::size_t>(parts_sent(call.what.kind, *group));
  const auto received = static_cast<std::size_t>(parts_received(call.what.kind, *group));
  const std::size_t part = bytes_of_part(call.what), own = static_cast<std::size_t>(group->rank()) * part;
  const std::size_t send_bytes = sent * part, receive_bytes = received * part;
  const std::string name = call.name;
  if (!is_allocated(call.send, send_bytes) || !is_allocated(call.receive, receive_bytes))
    return refuse_call(name + " of what is not in device memory");
  const bool in_place = call.send + (sent > received ? own : 0) == call.receive + (received > sent ? own : 0);
  if (!in_place && call.send < call.receive + receive_bytes && call.receive < call.send + send_bytes)
    return refuse_call(name + " of buffers that overlap");
  const std::size_t most = Group::kSlotBytes / sent / size_of(call.what.type) * size_of(call.what.type);
  group->count_call();
  const auto begin = [=, lost = is_lost(*comm)] {
    if (lost) {
      comm->error = ncclRemoteError;
      return enqueue(stream, {[] {}, [group] { return group->aborted(); }, true});
    }
    std::size_t first = 0;
    do {  // a call of nothing is one of all ranks, too
      enqueue_step(stream, group, call, {first, std::min(most, part - first)});
      first += most;
    } while (first < part);
  };
  if (comm->blocking) {
    begin();
    return ncclSuccess;
  }
  comm->asked = begin;
  return ncclInProgress;
}

ncclResult_t leave(ncclComm_t comm) {
  comm->group->leave();
  delete comm;
  died("a rank of NCCL");
  return ncclSuccess;
}

ncclResult_t join(ncclComm_t* comm, int size, const ncclUniqueId& id, int rank, bool blocking) {
  if (size < 1 || rank < 0 || rank >= size) return refuse_call("ncclCommInitRank: a rank that cannot be");
  try {
    *comm = new ncclComm{.group = std::make_shared<Group>(id, size, rank), .blocking = blocking};
  } catch (const std::exception& e) {
    return refuse_call(e.what());
  }
  born("a rank of NCCL");
  if (blocking) {
    (*comm)->group->wait_for_all();
    (*comm)->group->begin();
    (*comm)->has_begun = true;
  }
  const std::lock_guard lock(runtime_mutex());
  living().insert(*comm);
  return blocking ? ncclSuccess : ncclInProgress;
}

/// Starts pending operations; returns the state of the communicator.
ncclResult_t go_on(ncclComm& comm) {
  if (comm.error != ncclSuccess) return comm.error;
  if (!comm.has_begun) {
    if (!comm.group->is_complete()) return ncclInProgress;
    comm.group->begin();
    comm.has_begun = true;
  }
  if (comm.asked) std::exchange(comm.asked, {})();
  return ncclSuccess;  // an error shows later
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclSuccess           ? "no error"
         : result == ncclInvalidArgument ? "invalid argument"
         : result == ncclRemoteError     ? "remote process exited or there was a network error"
                                         : "an error";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = Group::make();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  return join(comm, size, id, rank, true);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return join(comm, size, id, rank, config->blocking != 0);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* status) {
  const std::lock_guard lock(runtime_mutex());
  if (!living().contains(comm)) return refuse_call("ncclCommGetAsyncError of a communicator that is gone");
  *status = go_on(*comm);
  return ncclSuccess;
}

const char* ncclGetLastError(ncclComm_t comm) {
  const std::lock_guard lock(runtime_mutex());
  return comm->error == ncclSuccess ? "" : "socketProgress: Connection closed by remote peer";
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const std::lock_guard lock(runtime_mutex());
  if (!may_call(__func__, comm)) return ncclInvalidArgument;
  if (comm->error != ncclSuccess) return comm->error;
  comm->is_final = true;
  return comm->blocking ? ncclSuccess : ncclInProgress;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  {
    const std::lock_guard lock(runtime_mutex());
    if (!may_call(__func__, comm)) return ncclInvalidArgument;
    if (!comm->blocking && !comm->is_final)
      report("ncclCommDestroy without ncclCommFinalize: it would block");
    living().erase(comm);
  }
  return leave(comm);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const std::lock_guard lock(runtime_mutex());
    if (living().erase(comm) == 0) return refuse_call("ncclCommAbort of a communicator that is gone");
    comm->group->abort();
    runtime_mutex().notify();
  }
  return leave(comm);
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  if (operation != ncclSum) return refuse_call("ncclAllReduce of something else than sums");
  const Call call{{Kind::all_reduce, type, count},
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive)};
  return submit(call, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  if (operation != ncclSum) return refuse_call("ncclReduceScatter of something else than sums");
  const Call call{{Kind::reduce_scatter, type, count},
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive)};
  return submit(call, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  const Call call{{Kind::all_gather, type, count},
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive)};
  return submit(call, comm, stream);
}

}  // extern "C"
