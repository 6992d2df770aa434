// CTranslate2's model.bin, little-endian. A string is its length with the final zero (u16), its bytes, and a
// zero.
//   u32 version; from version 2 on: string specification, u32 its revision
//   u32 n; n variables: string name, u8 number of dimensions, u32 each dimension;
//     up to version 3: u8 bytes of an element, u32 elements; from version 4 on: u8 type, u32 bytes;
//     data
//   from version 3 on: u32 m; m aliases: string alias, string name
// The types are f32, i8, i16, i32, f16, bf16, numbered in this order from 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/byte_reader.h"
#include "foreign/containers/output_tensor.h"
#include "foreign/containers/tensor_file.h"
#include "nn/files/safetensors.h"

namespace nmt {

/// The types in the order of their numbers in files from version 4 on.
inline constexpr std::array kCTranslate2Types = {ElementType::f32, ElementType::i8,  ElementType::i16,
                                                 ElementType::i32, ElementType::f16, ElementType::bf16};

/// The suffix of a variable's name in the name of its scale.
inline constexpr const char* kCTranslate2Scale = "_scale";

/// Reads a file of version 1 to 6. Weights of 8 and 16 bits are quantized entries, with one multiplier per
/// row or one for all rows; the variable NAME_scale of such a weight is not an entry. Aliases are entries
/// like their variables. Variables of a Transformer of revision 1 get the names of later revisions.
class CTranslate2Binary : public MappedTensors {
 public:
  /// Throws Error if the file is not in this format, is of a later version, or damaged.
  explicit CTranslate2Binary(const std::string& path) : CTranslate2Binary(map_file(path), path) {}
  /// Takes bytes that are mapped already; messages call them `path`.
  CTranslate2Binary(MemoryMap map, const std::string& path);

  std::uint32_t version() const { return version_; }
  /// Returns the kind of model, such as "TransformerSpec", and its revision; "" and 1 in files of version 1.
  const std::string& spec() const { return spec_; }
  std::uint32_t revision() const { return revision_; }

 private:
  struct Variable {
    Entry entry;
    std::string_view bytes;
  };
  using Variables = std::map<std::string, Variable>;
  using Aliases = std::map<std::string, std::string>;

  bool has_old_names() const { return revision_ == 1 && (spec_.empty() || spec_.starts_with("Transformer")); }
  void read_variable(ByteReader& reader, Variables& variables) const;
  void read_alias(ByteReader& reader, const Variables& variables, Aliases& aliases) const;
  /// Adds variables and aliases, except the scales of other variables.
  void add_all(const Variables& variables, const Aliases& aliases);
  /// Adds a variable; its scale, if there is one, makes it quantized.
  void add_one(const std::string& name, const Variable& variable, const Variable* scale);
  std::vector<float> multipliers(const std::string& name) const override;

  std::uint32_t version_ = 0, revision_ = 1;
  std::string spec_;
  std::map<std::string, std::string_view> scales_;  // of each quantized entry that has a scale variable
};

/// Writes a file of version 6, atomically: variables of f32, f16, bf16, i8, i16 or i32 in the order of their
/// names. Among variables with equal values and shapes, the first one stays and the others become its
/// aliases, as in CTranslate2. NAME_scale belongs to NAME and follows it. Equal arguments give equal bytes.
/// Throws Error if two variables have the same name, if one has 4 GiB or more, or if the file cannot be
/// written.
void write_ctranslate2_binary(const std::string& path, const std::string& spec, std::uint32_t revision,
                              std::vector<OutputTensor> variables);

}  // namespace nmt
