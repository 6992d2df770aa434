#include "backend/cuda/libraries/nccl_ranks.h"

#include <array>
#include <atomic>
#include <exception>
#include <utility>

#include "backend/cuda/kernels/memory.h"
#include "backend/cuda/libraries/nccl_communicator.h"
#include "common/error.h"

namespace nmt::cuda {
namespace {

ncclDataType_t type_of(DType dtype) {
  constexpr std::array kTypes{std::pair{DType::f64, ncclFloat64}, std::pair{DType::f32, ncclFloat32},
                              std::pair{DType::f16, ncclFloat16}, std::pair{DType::bf16, ncclBfloat16}};
  for (const auto& [ours, theirs] : kTypes)
    if (ours == dtype) return theirs;
  throw Error("GPUs have no sums of {}", name_of(dtype));
}

/// Puts NCCL's calls on a stream, and informs the watchdog of the GPU when the stream waits for others.
class Meetings {
 public:
  explicit Meetings(Stream& calls) : calls_(calls), communicator_(watchdog()) {
    check(cudaMallocHost(reinterpret_cast<void**>(&progress_counter_.reached),
                         sizeof *progress_counter_.reached));
    *progress_counter_.reached = 0;
    write_progress(progress_counter_.reached, 0, calls.get());  // loads the kernel in advance
    calls.wait();
    progress_counter_.error = [this] { return communicator_.error(); };
    watchdog().monitor(&progress_counter_);
  }
  ~Meetings() {
    watchdog().monitor(nullptr);
    static_cast<void>(cudaFreeHost(progress_counter_.reached));
  }
  Meetings(const Meetings&) = delete;
  Meetings& operator=(const Meetings&) = delete;

  NcclCommunicator& communicator() { return communicator_; }
  /// Joins the ranks of an id. The host waits for them; the stream has no work.
  void join(const ncclUniqueId& id, int rank, int size) {
    const std::atomic_ref reached(*progress_counter_.reached);
    reached = ++progress_counter_.asked;
    communicator_.join(id, rank, size);
    reached = ++progress_counter_.asked;
  }
  /// Requests function(arguments..., communicator, stream). The GPUs of this process make a call together,
  /// and do nothing else meanwhile. Otherwise there could be a deadlock: allocating or freeing memory of one
  /// GPU may wait for all GPUs, while these wait for its part of a call.
  template <class Function, class... Arguments>
  void call(ProcessGroup& group, Function function, const Arguments&... arguments) {
    const cudaStream_t stream = calls_.get();
    group.meet_in_process();
    {
      const GpuWatchdog::Call here(watchdog());
      write_progress(progress_counter_.reached, ++progress_counter_.asked, stream);
      communicator_.call([&](ncclComm_t ranks) { return function(arguments..., ranks, stream); });
      write_progress(progress_counter_.reached, ++progress_counter_.asked, stream);
    }
    group.meet_in_process();
  }

 private:
  GpuWatchdog& watchdog() const { return *calls_.watchdog(); }

  Stream& calls_;
  ProgressCounter progress_counter_;
  NcclCommunicator communicator_;
};

/// If a rank fails, all leave NCCL at once.
class AbortOnFailure {
 public:
  AbortOnFailure(ProcessGroup& group, NcclCommunicator& communicator) : group_(group) {
    group_.when_failed([&communicator] { communicator.abort(); });
  }
  ~AbortOnFailure() { group_.when_failed({}); }
  AbortOnFailure(const AbortOnFailure&) = delete;
  AbortOnFailure& operator=(const AbortOnFailure&) = delete;

 private:
  ProcessGroup& group_;
};

class NcclRanks final : public Communicator {
 public:
  NcclRanks(ProcessGroup& group, Stream& stream) : group_(group), stream_(stream) {
    meetings_.join(agreed_id(group), rank(), size());
  }
  ~NcclRanks() override {
    // Finish requested work before leaving the others, unless this rank has failed.
    if (std::uncaught_exceptions() > exceptions_) meetings_.communicator().abort();
    try {
      calls_.wait();
    } catch (const std::exception&) {  // the failure is reported elsewhere
    }
    meetings_.communicator().leave();
    const GpuWatchdog::Call call(*calls_.watchdog());
    static_cast<void>(cudaFree(buffer_));
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }

  void all_reduce(const Tensor& x) override {
    begin();
    meetings_.call(group_, nccl().all_reduce, x.raw(), x.raw(), count(x.size()), type_of(x.dtype()), ncclSum);
  }
  void reduce_scatter(const Tensor& x, DType travel) override {
    begin();
    const Tensor parts = travel == x.dtype() ? even(x) : buffer(x.size(), travel);
    if (parts.raw() != x.raw()) fill(parts, x, {0, x.size()});
    const Tensor own = own_part(parts);
    meetings_.call(group_, nccl().reduce_scatter, parts.raw(), own.raw(), count(own.size()),
                   type_of(parts.dtype()), ncclSum);
    if (parts.raw() != x.raw()) take(x, parts, part_of(x.size(), rank(), size()));
  }
  void all_gather(const Tensor& x) override {
    begin();
    const Tensor parts = even(x);
    if (parts.raw() != x.raw()) fill(parts, x, part_of(x.size(), rank(), size()));
    const Tensor own = own_part(parts);
    meetings_.call(group_, nccl().all_gather, own.raw(), parts.raw(), own.bytes(), ncclInt8);
    if (parts.raw() != x.raw()) take(x, parts, {0, x.size()});
  }
  void finish() override { stream_.wait_for(calls_); }
  void broadcast(std::span<std::byte> message) override { group_.broadcast(message); }
  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    return group_.gather(message);
  }
  void when_failed(const std::function<void()>& abort) override { group_.when_failed(abort); }

 private:
  /// Returns an id on which all ranks agree. They first meet in `group`, because within NCCL nobody learns
  /// that another rank has failed.
  static ncclUniqueId agreed_id(ProcessGroup& group) {
    const Nccl& library = nccl();
    group.gather({});
    ncclUniqueId id{};
    if (group.rank() == 0) check(library.unique_id(&id));
    group.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    return id;
  }
  static std::size_t count(std::int64_t elements) { return static_cast<std::size_t>(elements); }

  /// Makes a call wait for the work requested from the GPU so far.
  void begin() { calls_.wait_for(stream_); }

  /// Returns a buffer for x with parts of equal size, as NCCL requires: x itself, if its parts are equal.
  Tensor even(const Tensor& x) { return even_size(x.size()) == x.size() ? x : buffer(x.size(), x.dtype()); }
  std::int64_t even_size(std::int64_t elements) const { return part_of(elements, 0, size()).size * size(); }
  Tensor buffer(std::int64_t elements, DType dtype) {
    const std::int64_t columns = even_size(elements);
    const std::size_t bytes = count(columns) * size_of(dtype);
    if (bytes > buffer_bytes_) {
      const GpuWatchdog::Call call(*calls_.watchdog());
      check(cudaFree(std::exchange(buffer_, nullptr)));
      buffer_bytes_ = 0;
      check(cudaMalloc(&buffer_, bytes));
      buffer_bytes_ = bytes;
    }
    return {1, columns, dtype, buffer_, std::shared_ptr<void>(std::shared_ptr<void>(), buffer_)};
  }
  Tensor own_part(const Tensor& parts) const {
    const std::int64_t columns = parts.columns() / size();
    return parts.slice_columns(rank() * columns, columns);
  }
  /// Copies a part of x into such a buffer, followed by zeros; and back.
  void fill(const Tensor& buffer, const Tensor& x, const Part& part) {
    const std::int64_t end = part.begin + part.size;
    move(buffer.slice_columns(part.begin, part.size), x.slice_columns(part.begin, part.size));
    const Tensor rest = buffer.slice_columns(end, buffer.columns() - end);
    if (rest.size() > 0) calls_.call(cudaMemsetAsync, rest.raw(), 0, rest.bytes());
  }
  void take(const Tensor& x, const Tensor& buffer, const Part& part) {
    move(x.slice_columns(part.begin, part.size), buffer.slice_columns(part.begin, part.size));
  }
  void move(const Tensor& to, const Tensor& from) {
    if (to.size() == 0) return;
    if (to.dtype() == from.dtype())
      calls_.call(cudaMemcpyAsync, to.raw(), from.raw(), to.bytes(), cudaMemcpyDeviceToDevice);
    else
      convert(to, from, calls_);
  }

  ProcessGroup& group_;
  Stream& stream_;
  Stream calls_{stream_.device(), stream_.watchdog()};
  Meetings meetings_{calls_};
  AbortOnFailure abort_on_failure_{group_, meetings_.communicator()};
  int exceptions_ = std::uncaught_exceptions();
  void* buffer_ = nullptr;
  std::size_t buffer_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> connect(ProcessGroup& group, Stream& stream) {
  stream.make_current();
  return std::make_unique<NcclRanks>(group, stream);
}

}  // namespace nmt::cuda
