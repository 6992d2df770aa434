// PyTorch checkpoints for tests, from pickles assembled opcode by opcode.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foreign/containers/byte_text.h"
#include "foreign/containers/zip_bytes.h"

namespace nmt::testing {

inline std::string pickled_text(const std::string& text) {
  return 'X' + raw(static_cast<std::uint32_t>(text.size())) + text;
}
inline std::string pickled_number(std::int64_t number) {
  return "\x8A\x08" + raw(number);
}
inline std::string pickled_global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string pickled_tuple(const std::vector<std::string>& items) {
  std::string bytes = "(";
  for (const std::string& item : items) bytes += item;
  return bytes + "t";
}
inline std::string pickled_numbers(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> items;
  for (const std::int64_t number : numbers) items.push_back(pickled_number(number));
  return pickled_tuple(items);
}
inline std::string pickled_ordered_dict() {
  return pickled_global("collections", "OrderedDict") + ")R";
}

/// Returns a pickle of this value.
inline std::string pickle(const std::string& value) {
  return "\x80\2" + value + ".";
}

struct TorchTensor {
  std::string name;
  std::string storage_type;  // "FloatStorage"
  std::string key;
  std::int64_t elements;  // of the storage
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, strides;
};

inline std::string pickled_tensor(const TorchTensor& tensor, const std::string& end_of_storage = "") {
  const std::string storage =
      pickled_tuple({pickled_text("storage"), pickled_global("torch", tensor.storage_type),
                     pickled_text(tensor.key), pickled_text("cpu"), pickled_number(tensor.elements),
                     end_of_storage}) +
      "Q";
  return pickled_global("torch._utils", "_rebuild_tensor_v2") +
         pickled_tuple({storage, pickled_number(tensor.offset), pickled_numbers(tensor.shape),
                        pickled_numbers(tensor.strides), "\x89", pickled_ordered_dict()}) +
         "R";
}

/// Returns the pickle of a dictionary of these tensors, as of torch.save(model.state_dict(), ..);
/// `end_of_storage`: the end of the names of storages.
inline std::string torch_pickle(const std::vector<TorchTensor>& tensors,
                                const std::string& end_of_storage = "") {
  std::string items;
  for (const TorchTensor& tensor : tensors)
    items += pickled_text(tensor.name) + pickled_tensor(tensor, end_of_storage);
  const std::string metadata = "}" + pickled_text("_metadata") + pickled_ordered_dict() + "s";
  return pickle(pickled_ordered_dict() + "q" + '\0' + "(" + items + "u" + metadata + "b");
}

/// A storage: its key, its number of elements, and its bytes.
struct TorchStorage {
  std::string key;
  std::uint64_t elements;
  std::string data;
};

/// Returns the file that torch.save() makes of both since PyTorch 1.6.
inline std::string torch_zip(const std::string& pickle, const std::vector<TorchStorage>& storages,
                             const std::vector<ZipEntry>& others = {}) {
  std::vector<ZipEntry> entries = {{"archive/data.pkl", pickle}, {"archive/version", "3\n"}};
  for (const TorchStorage& storage : storages)
    entries.push_back({"archive/data/" + storage.key, storage.data});
  entries.insert(entries.end(), others.begin(), others.end());
  return zip_bytes(entries);
}

/// Returns the file that torch.save() made before; the names of storages in the pickle end with "N".
inline std::string torch_legacy(const std::string& pickle_of_tensors,
                                const std::vector<TorchStorage>& storages,
                                const std::string& little_endian = "\x88") {
  const std::string magic = std::string("\x80\2\x8A\x0A", 4) + "\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.";
  const std::string system = "}(" + pickled_text("protocol_version") + "M\xE9\3" +
                             pickled_text("little_endian") + little_endian + pickled_text("type_sizes") +
                             "}" + "u";
  std::string keys = "](", data;
  for (const TorchStorage& storage : storages) {
    keys += pickled_text(storage.key);
    data += raw(storage.elements) + storage.data;
  }
  return magic + pickle("M\xE9\3") + pickle(system) + pickle_of_tensors + pickle(keys + "e") + data;
}

}  // namespace nmt::testing
