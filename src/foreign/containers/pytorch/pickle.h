// The part of Python's pickles, protocol 2, in which PyTorch saves dictionaries of tensors. A pickle is a
// program for a machine with a stack and a memo; real ones may import modules and call what they like. Here
// nothing is imported or called: of functions and classes only those that dictionaries of tensors need are
// known by name, and what they would do is done to plain data. All else is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foreign/containers/byte_reader.h"
#include "foreign/containers/element_type.h"

namespace nmt {

/// Bytes that lie beside the pickle, under a key.
struct PickledStorage {
  ElementType type;
  std::string_view key;
  std::uint64_t elements;
};

/// A view of a storage; offset and strides count elements, none is checked yet.
struct PickledTensor {
  PickledStorage storage;
  std::int64_t offset;
  std::vector<std::int64_t> shape, strides;
};

struct PickledSequence;

/// A function or a class; of those that store numbers, with their type.
struct PickledGlobal {
  enum class Kind : std::uint8_t { ordered_dict, rebuild_tensor, rebuild_parameter, storage };
  Kind kind;
  ElementType type;

  bool operator==(const PickledGlobal&) const = default;
};

/// None, and whatever else there is. Texts lie where the pickle does.
using PickledValue = std::variant<std::monostate, bool, std::int64_t, double, std::string_view, PickledGlobal,
                                  const PickledStorage*, const PickledTensor*, PickledSequence*>;

struct PickledSequence {
  enum class Kind : std::uint8_t { tuple, list, dict, ordered_dict };
  Kind kind;
  std::vector<PickledValue> items;  // of dictionaries key, value, key, value..

  bool is_dict() const { return kind == Kind::dict || kind == Kind::ordered_dict; }
};

/// The values of one pickle.
class Pickle {
 public:
  /// Reads up to the end of the pickle, which may be before that of `bytes`. These must outlive this. Memory
  /// is limited, whatever the pickle says. Throws Error, which calls the file `path`, where it is damaged or
  /// does anything unknown.
  Pickle(ByteReader& bytes, const std::string& path);

  /// What the pickle gives. Values live as long as this.
  const PickledValue& value() const { return value_; }
  /// Every storage that it names, as often as it does.
  const std::deque<PickledStorage>& storages() const { return storages_; }

 private:
  friend class PickleMachine;

  PickledValue value_;
  std::deque<PickledSequence> sequences_;
  std::deque<PickledStorage> storages_;
  std::deque<PickledTensor> tensors_;
};

/// What a value is, as messages say it: "a text".
std::string_view kind_of(const PickledValue& value);

}  // namespace nmt
