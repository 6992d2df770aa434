#include "foreign/ctranslate2/ctranslate2_attributes.h"

#include <cmath>
#include <vector>

#include "common/error.h"
#include "nn/files/safetensors.h"

namespace nmt {

void CTranslate2Attributes::refuse(const std::string& name, const std::string& what) const {
  throw Error("'{}' cannot be opened: it has {} ({}), which nmt does not support", tensors_.file().path(),
              what, name);
}

template <class T>
T CTranslate2Attributes::only(const std::string& name, const std::vector<T>& values) const {
  if (values.size() == 1) return values[0];
  throw Error("'{}': variable {} has {} numbers, not one", tensors_.file().path(), in_quotes(name),
              values.size());
}

std::int64_t CTranslate2Attributes::integer(const std::string& name, std::int64_t otherwise) {
  if (!tensors_.has(name)) return otherwise;
  tensors_.ignore(name);
  return only(name, tensors_.file().read_integers(name));
}

std::string CTranslate2Attributes::text(const std::string& name, const std::string& otherwise) {
  if (!tensors_.has(name)) return otherwise;
  tensors_.ignore(name);
  return tensors_.file().read_text(name);
}

std::int64_t CTranslate2Attributes::of_both(const std::string& name, std::int64_t otherwise) {
  const std::int64_t common = integer(name, otherwise);
  const std::int64_t encoder = integer("encoder/" + name, common),
                     decoder = integer("decoder/" + name, common);
  if (encoder != decoder)
    refuse("encoder/" + name,
           fmt::format("{} {} in the encoder, but {} in the decoder", name, encoder, decoder));
  return encoder;
}

std::string CTranslate2Attributes::embedding_scale(const std::string& side) {
  for (const std::string& name : {side + "/scale_embeddings", side + "/embeddings/multiply_by_sqrt_depth"}) {
    const TensorFile::Entry* entry = tensors_.file().find(name);
    if (entry == nullptr) continue;
    if (!is_real(entry->type)) return flag(name, true) ? "sqrt" : "1";
    tensors_.ignore(name);
    return fmt::format("{}", only(name, tensors_.file().read(name)));
  }
  return "sqrt";
}

}  // namespace nmt
