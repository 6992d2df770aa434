#include "nn/files/model_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "common/io/atomic_file.h"
#include "common/io/checksum.h"
#include "nn/files/foreign_file.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

constexpr const char* kVersion = "1";
constexpr const char* kChecksumType = "XXH3-64";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kCheckedAtOnce = std::size_t{16} << 20;  // bytes of the file in memory during a check

/// Whether the numbers of a tensor in some of its bytes are finite. `after_part`: see are_finite().
bool is_finite(const FileTensor& tensor, const std::byte* data, std::size_t bytes,
               const std::function<void()>& after_part) {
  return !is_real(tensor.dtype) || are_finite(data, bytes / size_of(tensor.dtype), tensor.dtype, after_part);
}

/// Whether an I8 tensor contains -128, which quantization never produces and products do not expect.
bool is_out_of_range(const FileTensor& tensor) {
  return tensor.dtype == DType::i8 && std::find(tensor.data, tensor.data + tensor.bytes(), std::byte{0x80}) !=
                                          tensor.data + tensor.bytes();
}

/// Returns the value of a metadata key, or "".
std::string value_of(const Safetensors& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

/// Checks the checksum. A file of other origin may lack one. A checksum that is present must be correct; if
/// the type of the checksum is named, the checksum must be present, so that damage to the key is noticed as
/// well.
void check_checksum(const Safetensors& file, const MemoryMap& map, const std::string& path) {
  const std::string type = value_of(file, "checksum_type");
  const std::string digits = value_of(file, "checksum");
  if (file.metadata.contains("checksum_type") && type != kChecksumType) {
    throw damaged(path, "it has a checksum of the unknown type " + in_quotes(type));
  }
  if (!file.metadata.contains("checksum")) {
    if (!type.empty()) throw damaged(path, "its checksum is missing");
    return;
  }
  const std::size_t quote = file.header.find('"' + digits + '"');
  if (digits.size() != kDigits || quote == std::string_view::npos) {
    throw damaged(path, "its checksum is not made of 16 hexadecimal digits");
  }
  const std::size_t begin = static_cast<std::size_t>(file.header.data() - map.data()) + quote + 1;
  Checksum checksum;
  checksum.add(map.text().substr(0, begin)).add(std::string(kDigits, '0'));
  for (std::size_t at = begin + kDigits; at < map.size(); at += kCheckedAtOnce) {
    checksum.add(map.text().substr(at, kCheckedAtOnce));
    map.forget_pages();
  }
  if (checksum.digits() != digits) throw damaged(path, "its checksum does not match its contents");
}

void check_format(const Safetensors& file, const std::string& path, const std::string& format) {
  if (value_of(file, "format") == kStateFormat && format == kModelFormat) {
    throw Error("'{}' is the training state of a run, not a model; name the run, or a model in it", path);
  }
  if (value_of(file, "format") != format || !file.metadata.contains("config")) {
    throw Error(
        "'{}' is a safetensors file but not an nmt {}: its metadata lacks 'format: {}' or 'config'; name a "
        "file made by nmt",
        path, format == kModelFormat ? "model" : "training state", format);
  }
  if (value_of(file, "format_version") != kVersion) {
    throw Error(
        "cannot load '{}': it has version {} of the format, and this nmt reads version {}; use the nmt that "
        "made it",
        path, in_quotes(value_of(file, "format_version")), kVersion);
  }
}

/// Throws Error if the file is of another kind altogether.
void check_kind(std::string_view bytes, const std::string& path) {
  if (const std::string_view kind = foreign_kind(bytes); !kind.empty()) {
    throw Error("'{}' is not a model: it is {}; name a model of nmt or of another toolkit", path, kind);
  }
}

void check_names(const std::string& path, const std::vector<FileTensor>& tensors) {
  std::set<std::string_view> names;
  for (const FileTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw Error("cannot write '{}': two tensors have the name {}", path, in_quotes(tensor.name));
    }
  }
}

/// Returns the checksum of a file that consists of `head` and the tensors.
std::string checksum_of_file(const std::string& path, const std::string& head,
                             const std::vector<FileTensor>& tensors) {
  Checksum checksum;
  checksum.add(head);
  for (const FileTensor& tensor : tensors) {
    tensor.each_part([&](const std::byte* data, std::size_t bytes) {
      if (!is_finite(tensor, data, bytes, [] {})) throw NotFinite(path, tensor.name);
      checksum.add(data, bytes);
    });
  }
  return checksum.digits();
}

/// Returns all metadata of a model file, whose tensors are in the order of the file.
std::map<std::string, std::string> complete_metadata(const std::string& path, const std::string& config,
                                                     const std::vector<FileTensor>& tensors,
                                                     const std::string& format,
                                                     std::map<std::string, std::string> metadata) {
  metadata.insert({{"format", format},
                   {"format_version", kVersion},
                   {"config", config},
                   {"checksum_type", kChecksumType},
                   {"checksum", std::string(kDigits, '0')}});
  metadata["checksum"] = checksum_of_file(path, safetensors_head(metadata, tensors), tensors);
  return metadata;
}

}  // namespace

ModelFile::ModelFile(const std::string& path, const std::string& format)
    : ModelFile(map_file(path), path, format) {}

ModelFile::ModelFile(MemoryMap map, const std::string& name, const std::string& format) : path_(name) {
  const auto mapped = std::make_shared<const MemoryMap>(std::move(map));
  files_ = mapped;
  try {
    read(*mapped, format);
  } catch (const Error&) {
    check_unchanged();  // a changed file is the likely reason; report that instead
    throw;
  }
}

ModelFile::ModelFile(std::string name, const std::string& config, std::vector<FileTensor> tensors,
                     std::shared_ptr<const WatchedFiles> files, std::map<std::string, std::string> metadata)
    : path_(std::move(name)),
      files_(std::move(files)),
      metadata_(std::move(metadata)),
      tensors_(std::move(tensors)) {
  metadata_["config"] = config;
  std::ranges::sort(tensors_, {}, &FileTensor::name);
}

void ModelFile::read(const MemoryMap& map, const std::string& format) {
  check_kind(map.text(), path_);
  const Safetensors file = parse_safetensors(map.text(), path_);
  check_checksum(file, map, path_);
  check_format(file, path_, format);
  metadata_ = file.metadata;
  tensors_ = locate_tensors(file, path_);
  for (const FileTensor& tensor : tensors_) {
    if (!is_finite(tensor, tensor.data, tensor.bytes(), [&map] { map.finish_reading(); })) {
      throw damaged(path_, "tensor " + in_quotes(tensor.name) + " holds NaN or infinity");
    }
    if (is_out_of_range(tensor)) {
      throw damaged(path_, "tensor " + in_quotes(tensor.name) + " holds -128, which no quantized weight is");
    }
    map.finish_reading();
  }
}

const FileTensor* ModelFile::find(const std::string& name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const FileTensor& tensor, const std::string& key) { return tensor.name < key; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::string ModelFile::metadata(const std::string& name) const {
  const auto found = metadata_.find(name);
  return found == metadata_.end() ? "" : found->second;
}

std::map<std::string, std::string> ModelFile::further_metadata() const {
  std::map<std::string, std::string> further = metadata_;
  for (const char* known : {"format", "format_version", "config", "checksum_type", "checksum"})
    further.erase(known);
  return further;
}

std::string ModelFile::checksum() const {
  if (std::string known = metadata("checksum"); !known.empty()) return known;
  std::vector<FileTensor> tensors = tensors_;
  sort_for_file(tensors);
  std::string digits =
      complete_metadata(path_, config(), tensors, kModelFormat, further_metadata())["checksum"];
  finish_reading();
  return digits;
}

void write_model_file(const std::string& path, const std::string& config, std::vector<FileTensor> tensors,
                      const std::string& format, std::map<std::string, std::string> metadata,
                      const std::function<void()>& before_commit) {
  check_names(path, tensors);
  sort_for_file(tensors);
  metadata = complete_metadata(path, config, tensors, format, std::move(metadata));
  AtomicFile file(path);  // opened once everything is known to be valid
  file.write(safetensors_head(metadata, tensors));
  for (const FileTensor& tensor : tensors)
    tensor.each_part([&](const std::byte* data, std::size_t bytes) { file.write(data, bytes); });
  if (before_commit) before_commit();
  file.commit();
}

}  // namespace nmt
