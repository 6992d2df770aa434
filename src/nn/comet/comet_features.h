// The features that the estimator of a COMET model reads, if the model encodes texts apart.
#pragma once

#include <cstdint>
#include <vector>

namespace nmt {

/// The places of features that have a meaning of their own in a product with the estimator's first layer, in
/// vectors of d_model: see comet_features().
enum CometPlace : std::int64_t {
  kPlaceOfTranslation = 0,
  kPlaceOfReference = 1,
  kPlaceOfComparison = 2,            // of the translation with the reference: 2 vectors
  kPlaceOfComparisonWithSource = 4,  // 2 vectors
};

/// Returns the features of a translation, in the order of the estimator's columns: the translation, its
/// reference, their product and the magnitude of their difference, then the product and the magnitude of the
/// difference of translation and source. Without a reference (nullptr), the source takes its place, and the
/// last two are left out. product(a, b) and difference(a, b) work element by element; `T` is one vector, or
/// one for each text of a batch.
template <class T, class Product, class Difference>
std::vector<T> comet_features(const T& translation, const T& source, const T* reference,
                              const Product& product, const Difference& difference) {
  const T& first = reference == nullptr ? source : *reference;
  std::vector<T> features = {translation, first, product(translation, first), difference(translation, first)};
  if (reference != nullptr) {
    features.push_back(product(translation, source));
    features.push_back(difference(translation, source));
  }
  return features;
}

}  // namespace nmt
