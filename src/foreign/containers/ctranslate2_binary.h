// CTranslate2's model.bin, little-endian; a string is u16 bytes with its zero, the bytes, the zero:
//   u32 version; from 2 on string specification, u32 its revision
//   u32 n; n variables: string name, u8 dimensions, u32 each; up to 3 u8 bytes of an element, u32 elements,
//   from
//     4 on u8 type, u32 bytes; data
//   from 3 on u32 m; m aliases: string alias, string name
// Types are f32, i8, i16, i32, f16, bf16, in this order from 0 on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/containers/byte_reader.h"
#include "foreign/containers/mapped_tensors.h"

namespace nmt {

/// A file of version 1 to 6. Weights of 8 and 16 bits are quantised entries with a multiplier for each row or
/// one for all, the variable NAME_scale, which is no entry then. Aliases are entries like what they stand
/// for. Of revision 1 of a Transformer variables have the names that they have in later ones.
class CTranslate2Binary : public MappedTensors {
 public:
  /// Throws Error when it is no such file, is of a later version, or damaged.
  explicit CTranslate2Binary(const std::string& path);

  std::uint32_t version() const { return version_; }
  /// What the model is, "TransformerSpec", and which revision of that; "" and 1 in files of version 1.
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
  /// Adds variables and aliases, but for the scales of others.
  void add_all(const Variables& variables, const Aliases& aliases);
  /// Adds what `variable` stands for; its scale, where there is one, makes it quantised.
  void add_one(const std::string& name, const Variable& variable, const Variable* scale);
  std::vector<float> multipliers(const std::string& name) const override;

  std::uint32_t version_ = 0, revision_ = 1;
  std::string spec_;
  std::map<std::string, std::string_view> scales_;  // of each quantised entry that has some
};

}  // namespace nmt
