// Variables of CTranslate2's models that are not weights: numbers, flags and texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign/weight_source.h"

namespace nmt {

class CTranslate2Attributes {
 public:
  /// `tensors` must outlive this object, and records which variables were requested.
  explicit CTranslate2Attributes(ForeignTensors& tensors) : tensors_(tensors) {}

  // Returns the value of a variable, or `otherwise` if it is missing. Each throws Error if the value has
  // another type.
  std::int64_t integer(const std::string& name, std::int64_t otherwise);
  bool flag(const std::string& name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  std::string text(const std::string& name, const std::string& otherwise);

  /// Returns a number that encoder and decoder share. Up to revision 4 one variable stood for both. Throws
  /// Error if the sides differ.
  std::int64_t of_both(const std::string& name, std::int64_t otherwise);

  /// Returns the factor of the embeddings of a side, as the setting `embedding_scale`.
  std::string embedding_scale(const std::string& side);

  /// Throws Error that names the model and says that it has `what`, as the variable `name` shows.
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  /// Returns the value of a variable with a single element.
  template <class T>
  T only(const std::string& name, const std::vector<T>& values) const;

  ForeignTensors& tensors_;
};

}  // namespace nmt
