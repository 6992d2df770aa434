#include "data/vocabulary/vocabulary.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "common/error.h"
#include "common/text/utf8.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace nmt {
namespace {

std::string piece(const Vocabulary& vocabulary, int id) {
  if (id < 0 || id >= vocabulary.size())
    throw UsageError("invalid id {}: the vocabulary has {} pieces, numbered from 0", id, vocabulary.size());
  return vocabulary.piece(id);
}

}  // namespace

void bind_vocabulary(nb::module_& module) {
  nb::class_<Vocabulary>(module, "Vocabulary")
      .def_static("load", Vocabulary::load, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("encode", &Vocabulary::encode, "text"_a)
      .def(
          "pieces",
          [](const Vocabulary& vocabulary, std::string_view text) { return vocabulary.pieces(text); },
          "text"_a)
      .def("decode", &Vocabulary::decode, "ids"_a)
      .def("find", &Vocabulary::find, "piece"_a)
      .def("piece", piece, "id"_a)
      .def("__len__", &Vocabulary::size)
      .def_prop_ro("unknown", &Vocabulary::unknown)
      .def_prop_ro("begin", &Vocabulary::begin)
      .def_prop_ro("end", &Vocabulary::end)
      .def_prop_ro("languages", &Vocabulary::languages)
      .def("save", &Vocabulary::save, "path"_a);
}

}  // namespace nmt
