#include "tensor/on_workers.h"

#include <algorithm>
#include <vector>

#include "common/side_by_side.h"

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
    work(*workers[number], number);
    workers[number]->finish();
  });
}

}  // namespace nmt
