// NCCL: a collective call is a sequence of steps on the stream of each rank, which wait for those of the
// others.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/nccl_group.h"
#include "cuda_emulator/shadow.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

using Kind = Collective::Kind;

/// What one rank calls.
struct Call {
  Collective what;
  const char* name = nullptr;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
};

std::size_t size_of(ncclDataType_t type) {
  return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4 : type == ncclInt8 ? 1 : 2;
}

/// to += from, rounded to the type.
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

/// Bytes of each part that go in a step.
struct Piece {
  std::size_t first = 0, bytes = 0;
};

/// The parts that each rank sends, or receives.
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

/// The sum over the ranks, in their order, of what is `offset` bytes into their slots.
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

/// A rank posts, when all have taken what was there before, and takes, when all have posted.
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
};

using namespace simt;

namespace {

ncclResult_t refuse_call(const std::string& why) {
  report(why);
  return ncclInvalidArgument;
}

/// What is sent and what is received may lie in one another only as the documentation allows it.
ncclResult_t submit(const Call& call, ncclComm_t comm, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
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
  std::size_t first = 0;
  do {  // a call of nothing is one of all ranks, too
    enqueue_step(stream, group, call, {first, std::min(most, part - first)});
    first += most;
  } while (first < part);
  return ncclSuccess;
}

ncclResult_t leave(ncclComm_t comm) {
  comm->group->leave();
  delete comm;
  died("a rank of NCCL");
  return ncclSuccess;
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclSuccess ? "no error" : result == ncclInvalidArgument ? "invalid argument" : "an error";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = Group::make();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  if (size < 1 || rank < 0 || rank >= size) return refuse_call("ncclCommInitRank: a rank that cannot be");
  try {
    *comm = new ncclComm{std::make_shared<Group>(id, size, rank)};
  } catch (const std::exception& e) {
    return refuse_call(e.what());
  }
  born("a rank of NCCL");
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return leave(comm);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const std::lock_guard lock(runtime_mutex());
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
