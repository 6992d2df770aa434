// NCCL with ranks that are threads: a collective call waits on the streams of all of them, until the last one
// has come to it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/shadow.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather };

/// What one rank calls. `count`: elements that it has of each part.
struct Call {
  Kind kind = Kind::all_reduce;
  const char* name = nullptr;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat32;

  bool matches(const Call& other) const {
    return kind == other.kind && count == other.count && type == other.type;
  }
};

/// The ranks that one id brings together, and the calls that not all have come to.
struct Group {
  int size = 0, present = 0, left = 0;
  std::vector<std::thread::id> aborted;  // of ranks whom others may wait for until they have heard of it
  std::map<std::uint64_t, std::vector<Call>> calls;  // by number; of each rank, without a name until it comes
};

struct Groups {
  std::mutex mutex;
  std::condition_variable joined;
  std::uint64_t ids = 0;
  std::map<std::uint64_t, std::shared_ptr<Group>> by_id;
};
Groups& groups() {
  static Groups& it = *new Groups;
  return it;
}

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

/// Of so many bytes that each rank sends, the sums, in the order of the ranks.
std::vector<std::byte> sums_of(const std::vector<Call>& calls, std::size_t bytes) {
  for (const Call& call : calls) reads(call.send, bytes, call.name);
  std::vector<std::byte> sums(calls[0].send, calls[0].send + bytes);
  const ncclDataType_t type = calls[0].type;
  for (std::size_t rank = 1; rank < calls.size(); ++rank)
    add(sums.data(), calls[rank].send, bytes / size_of(type), type);
  return sums;
}

void receive(const Call& call, const std::byte* data, std::size_t bytes) {
  wrote(call.receive, bytes, call.name);
  std::copy_n(data, bytes, call.receive);
}

void all_reduce(const std::vector<Call>& calls) {
  const std::vector<std::byte> sums = sums_of(calls, calls[0].count * size_of(calls[0].type));
  for (const Call& call : calls) receive(call, sums.data(), sums.size());
}

void reduce_scatter(const std::vector<Call>& calls) {
  const std::size_t part = calls[0].count * size_of(calls[0].type);
  const std::vector<std::byte> sums = sums_of(calls, calls.size() * part);
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    receive(calls[rank], sums.data() + rank * part, part);
}

void all_gather(const std::vector<Call>& calls) {
  const std::size_t part = calls[0].count * size_of(calls[0].type);
  std::vector<std::byte> all;
  for (const Call& call : calls) {
    reads(call.send, part, call.name);
    all.insert(all.end(), call.send, call.send + part);
  }
  for (const Call& call : calls) receive(call, all.data(), all.size());
}

void make(const std::vector<Call>& calls) {
  if (calls[0].kind == Kind::all_reduce)
    all_reduce(calls);
  else if (calls[0].kind == Kind::reduce_scatter)
    reduce_scatter(calls);
  else
    all_gather(calls);
}

bool are_alike(const std::vector<Call>& calls) {
  return std::all_of(calls.begin(), calls.end(), [&](const Call& call) { return call.matches(calls[0]); });
}

/// A rank has come to its call; the last one makes it.
void come(Group& group, std::uint64_t number, int rank, const Call& call) {
  std::vector<Call>& calls = group.calls[number];
  calls.resize(static_cast<std::size_t>(group.size));
  calls[static_cast<std::size_t>(rank)] = call;
  if (std::any_of(calls.begin(), calls.end(), [](const Call& c) { return c.name == nullptr; })) return;
  if (are_alike(calls))
    make(calls);
  else
    report("ranks make different collective calls at the same time");
  group.calls.erase(number);
}

}  // namespace
}  // namespace simt

struct ncclComm {
  std::shared_ptr<simt::Group> group;
  int rank;
  std::shared_ptr<bool> aborted = std::make_shared<bool>(false);
  std::uint64_t calls = 0;
  std::thread::id thread = std::this_thread::get_id();
};

using namespace simt;

namespace {

ncclResult_t refuse_call(const std::string& why) {
  report(why);
  return ncclInvalidArgument;
}

/// `sent`, `received`: how many parts. They may lie in one another only as the documentation allows it.
ncclResult_t submit(const Call& call, std::size_t sent, std::size_t received, ncclComm_t comm,
                    cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  const std::size_t part = call.count * size_of(call.type), own = static_cast<std::size_t>(comm->rank) * part;
  const std::size_t send_bytes = sent * part, receive_bytes = received * part;
  const std::string name = call.name;
  if (!is_allocated(call.send, send_bytes) || !is_allocated(call.receive, receive_bytes))
    return refuse_call(name + " of what is not in device memory");
  const bool in_place = call.send + (sent > received ? own : 0) == call.receive + (received > sent ? own : 0);
  if (!in_place && call.send < call.receive + receive_bytes && call.receive < call.send + send_bytes)
    return refuse_call(name + " of buffers that overlap");
  const std::uint64_t number = comm->calls++;
  const std::shared_ptr<Group> group = comm->group;
  const std::shared_ptr<bool> aborted = comm->aborted;
  enqueue(stream, {[=, rank = comm->rank] {
                     if (!*aborted) come(*group, number, rank, call);
                   },
                   {}});
  enqueue(stream, {[] {}, [=] { return *aborted || !group->calls.contains(number); }});
  return ncclSuccess;
}

/// Of ranks that abort, all leave with the last one.
ncclResult_t leave(ncclComm_t comm, bool aborted) {
  std::vector<std::thread::id> leaving;
  {
    const std::lock_guard lock(runtime_mutex());
    Group& group = *comm->group;
    (aborted ? group.aborted : leaving).push_back(comm->thread);
    if (++group.left == group.size) std::ranges::move(group.aborted, std::back_inserter(leaving));
  }
  for (const std::thread::id thread : leaving) leave_threads(thread);
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
  const std::lock_guard lock(groups().mutex);
  *id = {};
  const std::uint64_t number = ++groups().ids;
  std::memcpy(id->internal, &number, sizeof number);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  if (size < 1 || rank < 0 || rank >= size) return refuse_call("ncclCommInitRank: a rank that cannot be");
  std::uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  std::unique_lock lock(groups().mutex);
  std::shared_ptr<Group>& group = groups().by_id[number];
  if (group == nullptr) group = std::make_shared<Group>();
  group->size = size;
  *comm = new ncclComm{group, rank};
  born("a rank of NCCL");
  join_threads((*comm)->thread);
  ++group->present;
  groups().joined.notify_all();
  groups().joined.wait(lock, [&] { return group->present == size; });
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return leave(comm, false);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const std::lock_guard lock(runtime_mutex());
    *comm->aborted = true;
    for (auto& [number, calls] : comm->group->calls) calls[static_cast<std::size_t>(comm->rank)] = {};
    runtime_mutex().notify();
  }
  return leave(comm, true);
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  if (operation != ncclSum) return refuse_call("ncclAllReduce of something else than sums");
  const Call call{Kind::all_reduce,
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive),
                  count,
                  type};
  return submit(call, 1, 1, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  if (operation != ncclSum) return refuse_call("ncclReduceScatter of something else than sums");
  const Call call{Kind::reduce_scatter,
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive),
                  count,
                  type};
  return submit(call, static_cast<std::size_t>(comm->group->size), 1, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  const Call call{Kind::all_gather,
                  __func__,
                  static_cast<const std::byte*>(send),
                  static_cast<std::byte*>(receive),
                  count,
                  type};
  return submit(call, 1, static_cast<std::size_t>(comm->group->size), comm, stream);
}

}  // extern "C"
