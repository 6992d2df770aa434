#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "common/error.h"
#include "engine/models.h"
#include "foreign/export.h"
#include "foreign/open.h"
#include "nn/saved/average.h"
#include "nn/saved/convert.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace nmt {
namespace {

/// Read-only bytes of a tensor, which are not copied if they lie in a mapped file.
using Bytes = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

ModelFile open(const std::string& path) {
  return open_model_file(model_file(path));
}

const FileTensor& tensor_of(const ModelFile& file, const std::string& name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr) throw nb::key_error(name.c_str());
  return *tensor;
}

/// Keeps the file mapped as long as an array of its bytes exists.
Bytes bytes(const ModelFile& file, const std::string& name) {
  struct Kept {
    TensorBytes bytes;
    nb::object file;
  };
  const FileTensor& tensor = tensor_of(file, name);
  const auto* kept = new Kept{tensor.read(), nb::find(file)};
  const nb::capsule owner(kept, [](void* owned) noexcept { delete static_cast<const Kept*>(owned); });
  return {reinterpret_cast<const std::uint8_t*>(kept->bytes.data()), {tensor.bytes()}, owner};
}

std::vector<std::string> names(const ModelFile& file) {
  std::vector<std::string> names;
  std::ranges::transform(file.tensors(), std::back_inserter(names), &FileTensor::name);
  return names;
}

/// Returns the type of a tensor, such as "f32", and its shape.
std::pair<std::string, std::vector<std::int64_t>> kind(const ModelFile& file, const std::string& name) {
  const FileTensor& tensor = tensor_of(file, name);
  return {name_of(tensor.dtype), tensor.shape};
}

void convert(const ModelFile& file, const std::string& output, const std::optional<std::string>& precision) {
  const nb::gil_scoped_release release;
  convert_model(file, precision ? std::optional(type_of_weights(*precision)) : std::nullopt, output);
}

void average(const std::vector<std::string>& paths, const std::string& output) {
  const nb::gil_scoped_release release;
  if (paths.empty()) throw UsageError("there are no models to average");
  std::vector<ModelFile> models;
  for (const std::string& path : paths) models.push_back(open(path));
  average_models(models, output);
}

}  // namespace

void bind_model(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> unlocked;
  nb::class_<ModelFile>(module, "ModelFile")
      .def_static("open", open, "path"_a, unlocked)
      .def_prop_ro("path", &ModelFile::path)
      .def_prop_ro("config", &ModelFile::config)
      .def("names", names)
      .def("kind", kind, "name"_a)
      .def("bytes", bytes, "name"_a)
      .def("convert", convert, "output"_a, "precision"_a.none())
      .def("export", export_model, "toolkit"_a, "folder"_a, "overwrite"_a, unlocked);
  module.def("average", average, "paths"_a, "output"_a);
}

}  // namespace nmt
