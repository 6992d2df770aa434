// The CUDA backend, which lies in a library that is opened when it is asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "tensor/backend.h"

namespace nmt {

/// What a program wants to hear of its cards, for as long as they are open.
struct CardEvents {
  Log* log = &silent_log();
  /// A card hangs: calls of its backend do not return any more, and neither does its destructor. Called on a
  /// thread of its own with an error that says so; may end the process (end_at_once). Without, the log is
  /// told.
  std::function<void(const std::string& error)> on_hang = {};
};

/// N of "cuda:N", and 0 of "cuda". Throws UsageError where it is neither.
int cuda_card_number(const std::string& device);

/// Opens `device`, "cuda" (which is cuda:0) or "cuda:N", to compute in `precision`: "auto", "f32", "tf32",
/// "bf16" or "f16"; of several `streams`, each has a worker. Throws UsageError that says what is missing.
/// `folder` is the program's; empty: where it really lies. There the library, libnmt_cuda.so, is in lib/, or
/// in ../lib/nmt/, where it is installed.
std::unique_ptr<Backend> open_cuda_backend(const std::string& device, const std::string& precision,
                                           int streams, const CardEvents& events = {},
                                           const std::filesystem::path& folder = {});

/// The same of the first card, null where there is none, or no library. Where there is something that cannot
/// be used, a warning says why.
std::unique_ptr<Backend> open_cuda_backend_if_any(const std::string& precision, int streams,
                                                  const CardEvents& events = {},
                                                  const std::filesystem::path& folder = {});

/// For each card of this machine, at least one, a name that no other card anywhere has. Throws UsageError
/// that says what is missing.
std::vector<std::string> names_of_cuda_cards(const std::filesystem::path& folder = {});

/// The same, nothing where open_cuda_backend_if_any() gives null, and with its warnings.
std::vector<std::string> names_of_cuda_cards_if_any(Log& log, const std::filesystem::path& folder = {});

/// Whether NVIDIA's driver is on this machine: where it is not, the library need not be looked at.
bool has_cuda_driver();

}  // namespace nmt
