// Work that the workers of a device share.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/backend.h"

namespace nmt {

/// Calls work(worker, its number) for the first workers of the device, at most `most`, on a thread for each,
/// or for the device itself where it has none. They find all done that the device was asked for before, and
/// when this ends, so is what they were asked for. An exception of `work` is thrown again when all have
/// returned.
void on_workers(Backend& backend, std::size_t most,
                const std::function<void(Backend& worker, std::size_t number)>& work);

}  // namespace nmt
