// Reads the part of Python's pickles, protocol 2, in which PyTorch saves dictionaries of tensors. A pickle is
// a program for a machine with a stack and a memo; Python's machine may import modules and call anything. The
// machine in this file imports and calls nothing. It knows the names of the functions and classes that
// dictionaries of tensors need, and applies their effect to plain data. Anything else is an error, or for
// checkpoints of training programs, an object without behavior.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/io/byte_reader.h"
#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// Bytes stored outside of the pickle, under a key.
struct PickledStorage {
  ElementType type;
  std::string_view key;
  std::uint64_t elements;
};

/// A view of a storage; offset and strides count elements and are not checked yet.
struct PickledTensor {
  PickledStorage storage;
  std::int64_t offset;
  std::vector<std::int64_t> shape, strides;
};

struct PickledSequence;
struct PickledObject;

/// A function or a class; for a class of stored numbers, with its type.
struct PickledGlobal {
  enum class Kind : std::uint8_t { ordered_dict, rebuild_tensor, rebuild_parameter, storage, unknown };
  Kind kind;
  ElementType type;

  bool operator==(const PickledGlobal&) const = default;
};

/// A value; monostate is None or any other object. Texts point into the pickle.
using PickledValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string_view, PickledGlobal,
                 const PickledStorage*, const PickledTensor*, PickledSequence*, PickledObject*>;

struct PickledSequence {
  enum class Kind : std::uint8_t { tuple, list, dict, ordered_dict };
  Kind kind;
  std::vector<PickledValue> items;  // for dictionaries key, value, key, value..

  bool is_dict() const { return kind == Kind::dict || kind == Kind::ordered_dict; }
};

/// The result of an unknown class or function: its arguments, and the attributes that were set. It does
/// nothing, and its items, if it is a list or a dictionary of some kind, are dropped.
struct PickledObject {
  const PickledSequence* arguments;
  PickledValue attributes;
};

/// How a pickle treats the results of unknown classes and functions.
enum class UnknownObjects : std::uint8_t { refused, kept };

/// The values of one pickle.
class Pickle {
 public:
  /// Reads up to the end of the pickle, which may be before the end of `bytes`. Both must outlive this
  /// object, and so must `path`. Memory is limited, whatever the pickle contains. Throws Error, which calls
  /// the file `path`, if the pickle is damaged or does anything unknown.
  Pickle(ByteReader& bytes, const std::string& path, UnknownObjects objects = UnknownObjects::refused);

  /// Returns the result of the pickle. Values live as long as this object.
  const PickledValue& value() const { return value_; }
  /// Returns every storage that the pickle names, once per occurrence.
  const std::deque<PickledStorage>& storages() const { return storages_; }

 private:
  friend class PickleMachine;

  PickledValue value_;
  std::deque<PickledSequence> sequences_;
  std::deque<PickledStorage> storages_;
  std::deque<PickledTensor> tensors_;
  std::deque<PickledObject> objects_;
};

/// Returns the kind of a value for messages: "a text".
std::string_view kind_of(const PickledValue& value);

/// Returns the name of an opcode in pickletools, or its number.
std::string pickle_opcode_name(std::uint8_t opcode);

/// Returns the global `name` ("torch FloatStorage"); nothing for an unknown one.
std::optional<PickledGlobal> known_pickle_global(std::string_view name);

}  // namespace nmt
