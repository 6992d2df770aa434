#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "common/error.h"
#include "data/text/glossary.h"
#include "nmt/engine.h"
#include "python/bindings.h"
#include "translate/search/setting_table.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace nmt {
namespace {

/// Handles pending signals, on the main thread: Ctrl-C becomes KeyboardInterrupt.
void handle_signals() {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::vector<std::vector<v1::Translation>> translate(v1::Engine& engine, const std::vector<std::string>& texts,
                                                    const v1::SearchSettings& settings) {
  const nb::gil_scoped_release release;
  return engine.translate(texts, settings, handle_signals);
}

std::vector<v1::TextPair> paired(std::vector<std::string> sources, std::vector<std::string> targets) {
  if (sources.size() != targets.size())
    throw UsageError("the number of sources is {}, but that of targets {}", sources.size(), targets.size());
  std::vector<v1::TextPair> pairs;
  pairs.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    pairs.push_back({std::move(sources[i]), std::move(targets[i])});
  return pairs;
}

std::vector<std::vector<double>> score(v1::Engine& engine, std::vector<std::string> sources,
                                       std::vector<std::string> targets) {
  const nb::gil_scoped_release release;
  return engine.score(paired(std::move(sources), std::move(targets)));
}

using Weights = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

/// Returns an array of shape [target words + 1, source words + 1] that owns the weights.
Weights weights_of(v1::Alignment alignment) {
  auto* weights = new std::vector<double>(std::move(alignment.weights));
  const nb::capsule owner(weights, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {weights->data(), {alignment.target_words + 1, alignment.source_words + 1}, owner};
}

std::vector<Weights> align(v1::Engine& engine, std::vector<std::string> sources,
                           std::vector<std::string> targets) {
  std::vector<v1::Alignment> alignments;
  {
    const nb::gil_scoped_release release;
    alignments = engine.align(paired(std::move(sources), std::move(targets)));
  }
  std::vector<Weights> arrays;
  for (v1::Alignment& each : alignments) arrays.push_back(weights_of(std::move(each)));
  return arrays;
}

void bind_translations(nb::module_& module) {
  nb::class_<v1::ScoredPart>(module, "ScoredPart")
      .def_ro("text", &v1::ScoredPart::text)
      .def_ro("log_probability", &v1::ScoredPart::log_probability)
      .def("__repr__", [](const v1::ScoredPart& part) {
        return nb::str("ScoredPart(text={!r}, log_probability={:.6g})")
            .format(part.text, part.log_probability);
      });
  nb::class_<v1::FoundTerm>(module, "FoundTerm")
      .def_ro("source", &v1::FoundTerm::source)
      .def_ro("targets", &v1::FoundTerm::targets)
      .def_ro("met", &v1::FoundTerm::is_met)
      .def("__repr__", [](const v1::FoundTerm& term) {
        return nb::str("FoundTerm(source={!r}, targets={!r}, met={})")
            .format(term.source, term.targets, term.is_met);
      });
  nb::class_<v1::JudgedSentence>(module, "JudgedSentence")
      .def_ro("source", &v1::JudgedSentence::source)
      .def_ro("text", &v1::JudgedSentence::translation)
      .def_ro("quality", &v1::JudgedSentence::quality)
      .def("__repr__", [](const v1::JudgedSentence& sentence) {
        return nb::str("JudgedSentence(source={!r}, text={!r}, quality={:.6g})")
            .format(sentence.source, sentence.translation, sentence.quality);
      });
  nb::class_<v1::Translation>(module, "Translation")
      .def_ro("text", &v1::Translation::text)
      .def_ro("score", &v1::Translation::score)
      .def_ro("log_probability", &v1::Translation::log_probability)
      .def_ro("tokens", &v1::Translation::tokens)
      .def_ro("words", &v1::Translation::words)
      .def_ro("missing", &v1::Translation::missing)
      .def_ro("terms", &v1::Translation::terms)
      .def_ro("sentences", &v1::Translation::sentences)
      .def_ro("quality", &v1::Translation::quality)
      .def_ro("truncated", &v1::Translation::truncated)
      .def_ro("notices", &v1::Translation::notices)
      .def_prop_ro(
          "alignment",
          [](const v1::Translation& translation) {
            return translation.alignment ? std::optional(weights_of(*translation.alignment)) : std::nullopt;
          },
          nb::rv_policy::move)
      .def_prop_ro("alternative",
                   [](const v1::Translation& translation) {
                     return translation.alternative ? std::optional(translation.alternative->text)
                                                    : std::nullopt;
                   })
      .def_prop_ro("alternative_log_probability",
                   [](const v1::Translation& translation) {
                     return translation.alternative ? std::optional(translation.alternative->log_probability)
                                                    : std::nullopt;
                   })
      .def("__repr__", [](const v1::Translation& translation) {
        return nb::str("Translation(text={!r}, score={:.6g})").format(translation.text, translation.score);
      });
}

void bind_terms(nb::module_& module) {
  nb::class_<v1::Term>(module, "Term")
      .def(
          "__init__",
          [](v1::Term* made, const std::string& source, const std::vector<std::string>& targets,
             const std::string& flags) {
            Term term;
            take_flags(flags, "`glossary`", term);
            new (made) v1::Term{source, targets, term.matches_case, term.is_stem};
          },
          "source"_a, "targets"_a, "flags"_a = "");
}

/// Binds the member for a setting of the table, with its description.
template <class Class>
auto binding(Class& bound) {
  return [&bound](const SettingFacts& facts, auto member) {
    bound.def_rw(facts.name, member, nb::arg().none(), sentences_of(facts).c_str());
  };
}

void bind_sampling_settings(nb::module_& module) {
  nb::class_<v1::SamplingSettings> settings(module, "SamplingSettings");
  settings.def(nb::init<>());
  each_sampling_member<v1::SamplingSettings>(binding(settings));
  settings.def_rw("first_place", &v1::SamplingSettings::first_place);
}

void bind_search_settings(nb::module_& module) {
  nb::class_<v1::SearchSettings> settings(module, "SearchSettings");
  settings.def(nb::init<>());
  each_search_member<v1::SearchSettings>(binding(settings));
  settings.def_rw("n_best", &v1::SearchSettings::n_best)
      .def_rw("context", &v1::SearchSettings::context)
      .def_rw("earlier_texts", &v1::SearchSettings::earlier_texts)
      .def_rw("distinct", &v1::SearchSettings::distinct)
      .def_rw("alternatives", &v1::SearchSettings::alternatives)
      .def_rw("unknown", &v1::SearchSettings::unknown, nb::arg().none())
      .def_rw("avoid", &v1::SearchSettings::avoid)
      .def_rw("constraints", &v1::SearchSettings::constraints)
      .def_rw("glossary", &v1::SearchSettings::glossary)
      .def_rw("prefixes", &v1::SearchSettings::prefixes)
      .def_rw("constraints_of_texts", &v1::SearchSettings::constraints_of_texts)
      .def_rw("avoid_of_texts", &v1::SearchSettings::avoid_of_texts)
      .def_rw("mbr", &v1::SearchSettings::mbr)
      .def_rw("split_sentences", &v1::SearchSettings::split_sentences)
      .def_rw("split_language", &v1::SearchSettings::split_language)
      .def_rw("abbreviations", &v1::SearchSettings::abbreviations)
      .def_rw("too_long", &v1::SearchSettings::too_long)
      .def_rw("markup", &v1::SearchSettings::markup)
      .def_rw("keep", &v1::SearchSettings::keep)
      .def_rw("replace_unknown", &v1::SearchSettings::replace_unknown, nb::arg().none())
      .def_rw("align", &v1::SearchSettings::align)
      .def_rw("score_tokens", &v1::SearchSettings::score_tokens)
      .def_rw("quality", &v1::SearchSettings::quality)
      .def_rw("candidates", &v1::SearchSettings::candidates, nb::arg().none())
      .def_rw("sampling", &v1::SearchSettings::sampling, nb::arg().none());
}

void bind_engine(nb::module_& module) {
  nb::class_<v1::EngineSettings>(module, "EngineSettings")
      .def(nb::init<>())
      .def_rw("device", &v1::EngineSettings::device)
      .def_rw("precision", &v1::EngineSettings::precision)
      .def_rw("threads", &v1::EngineSettings::threads)
      .def_rw("source_language", &v1::EngineSettings::source_language)
      .def_rw("target_language", &v1::EngineSettings::target_language)
      .def_rw("weights", &v1::EngineSettings::weights)
      .def_rw("language_model", &v1::EngineSettings::language_model)
      .def_rw("language_model_weight", &v1::EngineSettings::language_model_weight)
      .def_rw("quality_model", &v1::EngineSettings::quality_model)
      .def_rw("no_shortlist", &v1::EngineSettings::no_shortlist);
  nb::class_<v1::Engine>(module, "Engine")
      .def(nb::init<const std::vector<std::string>&, const v1::EngineSettings&>(), "models"_a, "settings"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("translate", translate, "texts"_a, "settings"_a)
      .def("take_warnings", &v1::Engine::take_warnings)
      .def("align", align, "sources"_a, "targets"_a)
      .def("score", score, "sources"_a, "targets"_a);
}

}  // namespace

void bind_translator(nb::module_& module) {
  bind_translations(module);
  bind_terms(module);
  bind_sampling_settings(module);
  bind_search_settings(module);
  bind_engine(module);
}

}  // namespace nmt
