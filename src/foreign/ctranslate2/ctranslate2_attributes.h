// The variables of CTranslate2's models that are no weights: numbers, flags and texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/weight_source.h"

namespace nmt {

class CTranslate2Attributes {
 public:
  /// `tensors` must outlive it, and gives account of what was asked for.
  explicit CTranslate2Attributes(ForeignTensors& tensors) : tensors_(tensors) {}

  // The value of a variable, or `otherwise` where there is none. Each throws Error where it is of another
  // kind.
  std::int64_t integer(const std::string& name, std::int64_t otherwise);
  bool flag(const std::string& name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  std::string text(const std::string& name, const std::string& otherwise);

  /// A number that encoder and decoder have. Up to revision 4 one stood for both. Throws Error where they
  /// have different ones.
  std::int64_t of_both(const std::string& name, std::int64_t otherwise);

  /// What embeddings of a side are multiplied by, as the setting `embedding_scale`.
  std::string embedding_scale(const std::string& side);

  /// Throws Error that names the model and says that it has `what`, as the variable `name` shows.
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  /// The value of what must be a single one.
  template <class T>
  T only(const std::string& name, const std::vector<T>& values) const;

  ForeignTensors& tensors_;
};

}  // namespace nmt
