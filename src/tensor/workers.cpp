#include "tensor/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "common/process/side_by_side.h"

namespace nmt {

Workers::Workers(Backend& device) : whole_(device) {
  for (Backend* share : device.workers())
    shares_.push_back(shares_.empty() ? Worker(*share, whole_.arena_) : Worker(*share));
}

std::int64_t Workers::count() const {
  return std::max<std::int64_t>(1, std::ssize(shares_));
}

void Workers::each(std::size_t most, const std::function<void(Worker& worker, std::size_t number)>& work) {
  if (shares_.empty()) {
    if (most > 0) work(whole_, 0);
    return;
  }
  device().finish();
  side_by_side(std::min(most, shares_.size()), [&](std::size_t number) {
    std::exception_ptr failure;
    try {
      work(shares_[number], number);
    } catch (...) {
      failure = std::current_exception();
    }
    try {
      shares_[number].backend().finish();  // after a failure, too: its memory is given to others
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    if (failure) std::rethrow_exception(failure);
  });
}

void Workers::run(std::size_t pieces, const Work& work) {
  if (pieces < shares_.size() || shares_.empty()) {
    for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, whole_);
    return;
  }
  std::atomic<std::size_t> next = 0;
  each(shares_.size(), [&](Worker& worker, std::size_t) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) work(piece, worker);
    } catch (...) {
      next = pieces;
      throw;
    }
  });
}

void Workers::give_back() {
  whole_ = Worker(device());
  for (std::size_t i = 0; i < shares_.size(); ++i)
    shares_[i] = i == 0 ? Worker(shares_[i].backend(), whole_.arena_) : Worker(shares_[i].backend());
}

}  // namespace nmt
