// Tensors as in PyTorch: views with offsets and strides of storages that several tensors may share.
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

  void load(const std::string& name, std::size_t begin, std::span<std::byte> to) const override;

 protected:
  /// Adds every tensor of a dictionary. Throws Error if the dictionary contains anything else, or if a tensor
  /// reaches beyond its storage.
  void add_all(const PickledValue& dictionary);

 private:
  struct View {
    std::string storage;
    std::uint64_t offset;               // in elements, as are the numbers below
    std::vector<std::int64_t> strides;  // one per dimension
    std::uint64_t extent;               // distance from the first element to the end of the last one
  };

  void add_tensor(const std::string& name, const PickledTensor& tensor);
  /// Returns the extent of a tensor's elements; 0 if it has none. Throws Error if the tensor is invalid.
  std::uint64_t extent_of(const std::string& name, const PickledTensor& tensor) const;

  /// Whether there is a storage with this key, type and size.
  virtual bool has(const PickledStorage& storage) const = 0;
  /// Reads the bytes of a storage, starting at `begin`, into `to`. Called on several threads at a time.
  virtual void read_storage(const std::string& key, std::uint64_t begin, std::span<std::byte> to) const = 0;

  std::map<std::string, View> views_;  // by tensor name
};

}  // namespace nmt
