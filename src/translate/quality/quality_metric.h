// The interface of metrics that judge translations with a network.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A translation and what it is judged by; a metric ignores texts that it does not read.
struct JudgedTexts {
  std::string_view translation, source, reference;
};

/// An error in a translation.
struct ErrorSpan {
  std::string text;
  std::string severity;            // "major"
  double confidence = 0;           // mean probability of the tags of its tokens
  std::size_t begin = 0, end = 0;  // in Unicode code points of the translation
};

struct Judgment {
  double score = 0;
  std::vector<ErrorSpan> errors = {};  // of metrics that find errors
};

class QualityMetric {
 public:
  virtual ~QualityMetric() = default;
  QualityMetric(const QualityMetric&) = delete;
  QualityMetric& operator=(const QualityMetric&) = delete;

  /// Returns the name of its kind, such as "COMET". In lower case, it is a name in lists of metrics.
  virtual const char* name() const = 0;
  /// Whether this is its name in lists of metrics.
  bool is(std::string_view metric) const;
  /// Returns the quality that a score says, of which more is better; 1 is about that of a perfect
  /// translation.
  virtual double quality(double score) const { return score; }

  virtual bool reads_source() const = 0;
  /// Whether it needs a reference, and whether it reads one if there is one.
  virtual bool needs_reference() const = 0;
  virtual bool reads_reference() const = 0;
  virtual bool finds_errors() const { return false; }

  /// Keeps what the network computes for single texts, such as sources that are judged with again and again,
  /// if it reads them one by one.
  virtual void keep(std::span<const std::string> /*texts*/) {}

  /// Judges translations, which are all judged with references or all without. Equal texts are encoded once.
  /// A judgment does not depend on the other texts. `done` is called with numbers of texts that have been
  /// encoded, on any thread, and may throw to end the work. Throws Error if the network computes NaN or
  /// infinity.
  using Done = std::function<void(std::size_t texts)>;
  virtual std::vector<Judgment> judge(std::span<const JudgedTexts> texts, bool with_references,
                                      const Done& done = {}) const = 0;
  /// Returns the quality of translations, judged without references.
  std::vector<double> estimate(std::span<const JudgedTexts> texts, const Done& done = {}) const {
    return qualities(texts, false, done);
  }
  /// Returns the quality that judge() finds.
  std::vector<double> qualities(std::span<const JudgedTexts> texts, bool with_references,
                                const Done& done = {}) const;

 protected:
  QualityMetric() = default;
};

/// Metrics by their names in lists of metrics.
using QualityMetrics = std::map<std::string, std::shared_ptr<QualityMetric>>;

}  // namespace nmt
