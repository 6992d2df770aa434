#include "foreign/containers/safetensors_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/io/atomic_file.h"
#include "common/text/number.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {
namespace {

constexpr std::array<std::pair<const char*, ElementType>, 13> kSafetensorsTypes = {
    {{"F64", ElementType::f64},
     {"F32", ElementType::f32},
     {"F16", ElementType::f16},
     {"BF16", ElementType::bf16},
     {"I64", ElementType::i64},
     {"I32", ElementType::i32},
     {"I16", ElementType::i16},
     {"I8", ElementType::i8},
     {"U64", ElementType::u64},
     {"U32", ElementType::u32},
     {"U16", ElementType::u16},
     {"U8", ElementType::u8},
     {"BOOL", ElementType::boolean}}};

class SafetensorsFile : public MappedTensors {
 public:
  explicit SafetensorsFile(const std::string& path) : MappedTensors(path) {
    const Safetensors contents = parse_safetensors(file(), path);
    std::uint64_t end = 0;
    for (const auto& [name, entry] : contents.entries) {
      if (entry.begin > entry.end || entry.end > contents.data.size()) {
        throw damaged(path, "tensor " + in_quotes(name) + " reaches beyond its end");
      }
      add(name, {.type = type_of(name, entry.dtype), .shape = entry.shape},
          contents.data.substr(entry.begin, entry.end - entry.begin));
      if (find(name)->bytes() != entry.end - entry.begin) {
        throw damaged(path, "the offsets of tensor " + in_quotes(name) + " do not fit its shape and dtype");
      }
      end = std::max(end, entry.end);
    }
    if (const std::uint64_t more = contents.data.size() - end; more > 0)
      throw damaged(path, fmt::format("it has {} after its last tensor", count_of(more, "byte")));
  }

 private:
  ElementType type_of(const std::string& name, const std::string& dtype) const {
    const auto* known =
        std::ranges::find(kSafetensorsTypes, dtype, [](const auto& entry) { return entry.first; });
    if (known != kSafetensorsTypes.end()) return known->second;
    throw Error("cannot load '{}': tensor {} has dtype {}, which nmt does not read; convert it to F32",
                path(), in_quotes(name), in_quotes(dtype));
  }
};

}  // namespace

std::unique_ptr<TensorFile> open_safetensors(const std::string& path) {
  return std::make_unique<SafetensorsFile>(path);
}

void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       std::vector<FileTensor> tensors) {
  sort_for_file(tensors);
  AtomicFile file(path);
  file.write(safetensors_head(metadata, tensors));
  for (const FileTensor& tensor : tensors)
    tensor.each_part([&](const std::byte* data, std::size_t bytes) { file.write(data, bytes); });
  file.commit();
}

}  // namespace nmt
