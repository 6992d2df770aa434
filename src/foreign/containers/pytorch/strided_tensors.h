// Tensors as PyTorch sees them: views, by offset and strides, of storages that several may share.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "foreign/containers/pytorch/pickle.h"
#include "foreign/containers/tensor_file.h"

namespace nmt {

class StridedTensors : public TensorFile {
 public:
  using TensorFile::TensorFile;

  void load(const std::string& name, std::span<std::byte> to) const override;

 protected:
  /// Adds every tensor of a dictionary. Throws Error where there is anything else in it, or where a tensor
  /// reaches beyond its storage.
  void add_all(const PickledValue& dictionary);

 private:
  struct View {
    std::string storage;
    std::uint64_t offset;               // in elements, as all numbers
    std::vector<std::int64_t> strides;  // of each dimension
    std::uint64_t extent;               // from the first element to behind the last
  };

  void add_tensor(const std::string& name, const PickledTensor& tensor);
  /// How far the elements of a tensor are spread; 0 where there are none. Throws Error where that means
  /// nothing.
  std::uint64_t extent_of(const std::string& name, const PickledTensor& tensor) const;

  /// Whether there is a storage of this key, type and size.
  virtual bool has(const PickledStorage& storage) const = 0;
  /// Puts the bytes of a storage from `begin` on into `to`. Called by several threads at once.
  virtual void read_storage(const std::string& key, std::uint64_t begin, std::span<std::byte> to) const = 0;

  std::map<std::string, View> views_;  // by the names of tensors
};

}  // namespace nmt
