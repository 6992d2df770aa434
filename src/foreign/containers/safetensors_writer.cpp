#include "foreign/containers/safetensors_writer.h"

#include "common/io/atomic_file.h"

namespace nmt {

void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       std::vector<FileTensor> tensors) {
  sort_for_file(tensors);
  AtomicFile file(path);
  file.write(safetensors_head(metadata, tensors));
  for (const FileTensor& tensor : tensors) {
    if (tensor.make) {
      const std::vector<std::byte> made = tensor.make();
      file.write(made.data(), made.size());
    } else {
      file.write(tensor.data, tensor.bytes());
    }
  }
  file.commit();
}

}  // namespace nmt
