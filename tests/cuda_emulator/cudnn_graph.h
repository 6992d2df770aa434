// The objects of the descriptors of cuDNN's graph API, and the rules for their attributes.
#pragma once

#include <cudnn.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace simt {

/// Values of an attribute as bytes; descriptors as addresses.
struct GraphAttribute {
  cudnnBackendAttributeType_t type;
  std::int64_t count;
  std::vector<std::byte> bytes;
};

struct GraphDescriptor {
  cudnnBackendDescriptorType_t type;
  bool is_final = false;
  std::map<cudnnBackendAttributeName_t, GraphAttribute> attributes = {};
  // The graph of an engine or its configuration; set by the library.
  const GraphDescriptor* graph = nullptr;
  bool is_deterministic = false;

  bool has(cudnnBackendAttributeName_t name) const { return attributes.count(name) > 0; }
  /// Returns all values of an existing attribute, or the first one.
  template <class T>
  std::vector<T> all(cudnnBackendAttributeName_t name) const {
    const GraphAttribute& attribute = attributes.at(name);
    std::vector<T> values(attribute.bytes.size() / sizeof(T));
    std::memcpy(values.data(), attribute.bytes.data(), attribute.bytes.size());
    return values;
  }
  template <class T>
  T get(cudnnBackendAttributeName_t name) const {
    T value;
    std::memcpy(&value, attributes.at(name).bytes.data(), sizeof value);
    return value;
  }
  const GraphDescriptor& part(cudnnBackendAttributeName_t name) const {
    return *static_cast<const GraphDescriptor*>(get<void*>(name));
  }
};

/// Whether descriptors of this type can be made.
bool is_known(cudnnBackendDescriptorType_t type);
/// Returns what is wrong with setting an attribute, or with a descriptor whose attributes are all set; empty:
/// nothing.
std::string fault(const GraphDescriptor& descriptor, cudnnBackendAttributeName_t name,
                  const GraphAttribute& attribute);
std::string fault(const GraphDescriptor& descriptor);
/// Returns the size of a value.
std::size_t bytes_of(cudnnBackendAttributeType_t type);

}  // namespace simt
