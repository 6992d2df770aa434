#include "engine/gpu_shares.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {
namespace {

/// Throws UsageError if two claims overlap.
void check_apart(const std::vector<GpuClaim>& claims, std::size_t a, std::size_t b,
                 const std::vector<std::string>& names) {
  for (const std::string& gpu : claims[a].gpus) {
    if (std::ranges::find(claims[b].gpus, gpu) == claims[b].gpus.end()) continue;
    throw UsageError("{} has a GPU of {}, but not the same ones: let them have all of them, or none",
                     names[b], names[a]);
  }
}

}  // namespace

std::vector<Part> partition_gpus(const std::vector<GpuClaim>& claims, const std::vector<std::string>& names) {
  std::vector<Part> parts;
  for (std::size_t process = 0; process < claims.size(); ++process) {
    const GpuClaim& claim = claims[process];
    const std::int64_t gpus = std::ssize(claim.gpus);
    std::int64_t before = 0, sharers = 1;  // that claim the same GPUs
    for (std::size_t other = 0; other < claims.size(); ++other) {
      if (other == process) continue;
      if (claims[other].gpus != claim.gpus) {
        check_apart(claims, process, other, names);
        continue;
      }
      if (other < process) ++before;
      ++sharers;
    }
    if (sharers > gpus && gpus > 0) {
      throw UsageError("{} processes are to share {}: start no more of them on a machine than it has GPUs",
                       sharers, count_of(static_cast<std::size_t>(gpus), "GPU"));
    }
    const std::int64_t begin = claim.one_alone ? before : gpus * before / sharers;
    const std::int64_t end = claim.one_alone ? begin + 1 : gpus * (before + 1) / sharers;
    parts.push_back({begin, std::min(end, gpus) - std::min(begin, gpus)});
  }
  return parts;
}

}  // namespace nmt
