#include "engine/device_ranks.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "common/error.h"
#include "common/text/number.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

/// Throws UsageError if two claims overlap.
void check_apart(const std::vector<GpuClaim>& claims, std::size_t a, std::size_t b,
                 const std::vector<std::string>& names) {
  for (const std::string& gpu : claims[a].gpus) {
    if (std::ranges::find(claims[b].gpus, gpu) == claims[b].gpus.end()) continue;
    throw UsageError("{} and {} share some GPUs, but not all: give them the same GPUs, or different ones",
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

namespace {

/// Returns a claim as text: a line for its kind, and one for each GPU.
std::string text_of(const GpuClaim& claim) {
  std::string text = claim.one_alone ? "one\n" : "all\n";
  for (const std::string& gpu : claim.gpus) text += gpu + "\n";
  return text;
}

GpuClaim claim_in(const std::string& text) {
  std::istringstream lines(text);
  GpuClaim claim;
  std::string line;
  std::getline(lines, line);
  claim.one_alone = line == "one";
  while (std::getline(lines, line)) claim.gpus.push_back(line);
  return claim;
}

/// Returns the devices of this process among several.
std::vector<std::string> devices_of_process(const std::string& device, LaunchedRanks& launched) {
  const bool are_gpus = device.starts_with("cuda"), one_alone = device == "cuda";
  std::vector<std::string> devices = devices_of(one_alone ? "cuda:all" : device);
  const GpuClaim claim{are_gpus ? names_of_gpus(devices) : std::vector<std::string>{}, one_alone};
  std::vector<GpuClaim> claims;
  for (const std::string& text : all_gather_text(launched.communicator(), text_of(claim)))
    claims.push_back(claim_in(text));
  const std::vector<Part> parts = partition_gpus(claims, launched.names());
  if (!are_gpus) return devices;
  const auto [begin, size] = parts[static_cast<std::size_t>(launched.communicator().rank())];
  return {devices.begin() + begin, devices.begin() + begin + size};
}

std::vector<std::byte> bytes_of(const Tensor& tensor, Backend& backend) {
  std::vector<std::byte> bytes(tensor.bytes());
  backend.download(bytes.data(), tensor);
  return bytes;
}

/// The weights of a model, for other devices.
struct WeightBytes {
  std::vector<std::byte> trained;
  std::vector<std::vector<std::byte>> frozen;  // of all parameters, if only updates of low rank are trained

  WeightBytes(const SavedModel& model, Backend& backend)
      : trained(bytes_of(model.model->training_weights().values(), backend)) {
    if (!model.base) return;
    for (const Parameters::Entry& entry : model.model->parameters().entries())
      frozen.push_back(bytes_of(entry.master, backend));
  }
};

/// Allocates the weights of a copy of a model. Returns those that training changes.
TrainingWeights& allocate(SavedModel& copy, const WeightBytes& weights, Backend& backend) {
  if (!copy.base) return copy.model->allocate_for_training(backend);
  TrainingWeights& own = copy.model->allocate_for_low_rank(backend, copy.base->settings).weights();
  auto frozen = weights.frozen.begin();
  for (const Parameters::Entry& entry : copy.model->parameters().entries())
    backend.upload(entry.master, (frozen++)->data());
  return own;
}

SavedModel copy_of(const SavedModel& model, const WeightBytes& weights, Backend& backend) {
  SavedModel copy{.settings = model.settings,
                  .vocabularies = model.vocabularies,
                  .special_tokens = model.special_tokens,
                  .base = model.base};
  copy.model = ModelRegistry::instance().make(copy.settings);
  TrainingWeights& own = allocate(copy, weights, backend);
  backend.upload(own.values(), weights.trained.data());
  own.values_changed();
  return copy;
}

}  // namespace

DeviceRanks::DeviceRanks(DeviceSettings& settings, LaunchedRanks* launched) : launched_(launched) {
  const std::string device =
      launched != nullptr && settings.device == "auto" ? best_device(settings) : settings.device;
  are_gpus_ = device.starts_with("cuda");
  names_ = launched != nullptr ? devices_of_process(device, *launched) : devices_of(device);
  for (const std::string& name : names_) {
    DeviceSettings own = settings;
    own.device = name;
    devices_.push_back(open_backend(own));
    // The precision stays that of the first device for the whole run; the reference device has no choice.
    if (const DType type = first().precision().compute; settings.precision == "auto" && type != DType::f64)
      settings.precision = name_of(type);
  }
  ranks_ = number_ranks(processes(), devices_.size());
}

std::string DeviceRanks::text() const {
  if (count() == 1) return "";
  std::string ranks = fmt::format("{} {}", count(), are_gpus_ ? "GPUs" : "ranks");
  if (launched_ == nullptr) return ranks;
  return fmt::format("{} on {}", ranks, count_of(launched_->machines(), "machine"));
}

void DeviceRanks::copy(const SavedModel& model) {
  if (devices_.size() == 1) return;
  const WeightBytes weights(model, first());
  for (std::size_t i = 1; i < devices_.size(); ++i) copies_.push_back(copy_of(model, weights, *devices_[i]));
}

std::size_t DeviceRanks::free_memory() const {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& device : devices_) least = std::min(least, device->free_memory());
  // Each process has its own GPUs, but processes share the memory of their machine.
  return are_gpus_ || launched_ == nullptr ? least
                                           : least / static_cast<std::size_t>(launched_->ranks_of_machine());
}

void DeviceRanks::run(SavedModel& model, const std::function<void(const DeviceRank&)>& work) {
  const auto leave_processes = [this] {
    if (launched_ != nullptr) launched_->abandon();
  };
  run_joined_ranks(processes(), ranks_, leave_processes, [&](ProcessGroup& group, std::size_t i) {
    Backend& device = *devices_[i];
    const std::unique_ptr<Communicator> connected = count() > 1 ? device.connect(group) : nullptr;
    work({i == 0 ? model : copies_[i - 1], device, connected ? *connected : processes()});
  });
}

}  // namespace nmt
