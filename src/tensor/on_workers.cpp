#include "tensor/on_workers.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "common/process/side_by_side.h"

namespace nmt {

void on_workers(Backend& backend, std::size_t most,
                const std::function<void(Backend& worker, std::size_t number)>& work) {
  const std::vector<Backend*> workers = backend.workers();
  if (workers.empty()) {
    if (most > 0) work(backend, 0);
    return;
  }
  backend.finish();
  side_by_side(std::min(most, workers.size()), [&](std::size_t number) {
    std::exception_ptr failure;
    try {
      work(*workers[number], number);
    } catch (...) {
      failure = std::current_exception();
    }
    workers[number]->finish();  // after a failure, too, lest it use memory that goes to others
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace nmt
