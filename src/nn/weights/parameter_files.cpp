#include "nn/weights/parameter_files.h"

#include <set>

#include "common/error.h"
#include "nn/files/model_file.h"

namespace nmt {

FileWeights weights_in(const ModelFile& file, const Parameters::Entry& entry, const std::string& prefix) {
  const bool is_matrix = entry.is_matrix_of_weights() || entry.role == Role::precise;
  return {file, prefix + entry.parameter.name, entry.shape(), is_matrix};
}

bool is_weight(const FileTensor& tensor) {
  return !tensor.name.starts_with("vocabulary.") && !tensor.name.starts_with("shortlist.");
}

void check(const Parameters& parameters, const ModelFile& file) {
  std::set<std::string> known;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const FileWeights weights = weights_in(file, entry);
    known.insert(entry.parameter.name);
    if (weights.scale() != nullptr) known.insert(weights.scale()->name);
  }
  for (const FileTensor& tensor : file.tensors()) {
    if (is_weight(tensor) && !known.contains(tensor.name)) {
      throw Error("'{}': unexpected tensor '{}': the configuration of the model has no such weights",
                  file.path(), tensor.name);
    }
  }
}

void load(const Parameters& parameters, Backend& backend, const ModelFile& file) {
  check(parameters, file);
  for (const Parameters::Entry& entry : parameters.entries()) {
    upload_weights(backend, entry.master, entry.parameter.scale, weights_in(file, entry));
  }
  backend.weights_changed();
}

void load(const TrainingWeights& weights, const ModelFile& file, const std::string& prefix,
          const Tensor& flat) {
  Backend& backend = weights.backend();
  for (const Parameters::Entry& entry : weights.parameters().entries()) {
    const FileWeights in_file = weights_in(file, entry, prefix);
    const Part all{entry.offset, entry.size()};
    const std::vector<Shard::Piece> pieces = weights.shard().pieces_in(all);
    if (pieces.empty()) continue;
    const bool is_whole = pieces.size() == 1 && pieces[0].part == all;
    const Tensor whole = is_whole ? flat.slice_columns(pieces[0].place, entry.size())
                                  : allocate_tensor(backend, 1, entry.size(), flat.dtype());
    upload_weights(backend, whole.reshape(entry.size() / entry.columns, entry.columns), {}, in_file);
    if (is_whole) continue;
    for (const auto& [part, place, is_shared] : pieces) {
      backend.copy(flat.slice_columns(place, part.size),
                   whole.slice_columns(part.begin - entry.offset, part.size));
    }
  }
}

std::vector<FileTensor> tensors(const Parameters& parameters, const std::string& prefix, DType dtype,
                                const ElementsOf& elements) {
  std::vector<FileTensor> tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    tensors.push_back(
        {prefix + entry.parameter.name, dtype, entry.shape(), nullptr, [elements, &entry](RowRange range) {
           return elements({entry.offset + range.begin * entry.columns, range.count * entry.columns});
         }});
  }
  return tensors;
}

std::vector<FileTensor> tensors(const TrainingWeights& weights, const std::string& prefix, const Tensor& flat,
                                DType dtype) {
  return tensors(weights.parameters(), prefix, dtype, [&backend = weights.backend(), flat, dtype](Part part) {
    return download_as(dtype, backend, flat.slice_columns(part.begin, part.size));
  });
}

}  // namespace nmt
