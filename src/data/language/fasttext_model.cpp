#include "data/language/fasttext_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nmt {
namespace {

constexpr std::int32_t kFastTextMagic = 793'712'314, kFastTextVersion = 12, kSupervised = 3;
constexpr std::size_t kCentroids = 256;
constexpr std::int32_t kLongestNgram = 100;  // n-grams
constexpr std::string_view kLabelPrefix = "__label__", kEndWord = "</s>";

/// Computes FNV-1a as fastText does, which sign-extends bytes.
std::uint32_t fasttext_hash(std::string_view text) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : text) {
    hash ^= static_cast<std::uint32_t>(static_cast<std::int8_t>(c));
    hash *= 16'777'619U;
  }
  return hash;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// A number that counts something.
template <class T>
std::size_t count_in(ByteReader& file, const std::string& path) {
  const T count = file.number<T>();
  if (count < 0) throw damaged_file(path, fmt::format("it counts {} of something", count));
  return static_cast<std::size_t>(count);
}

std::vector<float> floats_in(ByteReader& file, std::size_t count) {
  const std::string_view bytes = file.records(count, sizeof(float));
  std::vector<float> values(count);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

std::vector<std::uint8_t> codes_in(ByteReader& file, std::size_t count) {
  const std::string_view bytes = file.bytes(count);
  return {bytes.begin(), bytes.end()};
}

std::string word_in(ByteReader& file) {
  std::string word;
  while (const char c = file.number<char>()) word += c;
  return word;
}

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

FastTextMatrix::FastTextMatrix(ByteReader& file, const std::string& path, bool is_quantized) {
  const bool has_norms = is_quantized && file.number<std::uint8_t>() != 0;
  rows_ = count_in<std::int64_t>(file, path);
  columns_ = count_in<std::int64_t>(file, path);
  std::size_t size = 0;
  if (columns_ == 0 || __builtin_mul_overflow(rows_, columns_, &size))
    throw damaged_file(path, fmt::format("it has a matrix of {} x {}", rows_, columns_));
  if (!is_quantized) {
    values_ = floats_in(file, size);
    if (!std::ranges::all_of(values_, [](float value) { return std::isfinite(value); }))
      throw damaged_file(path, "it has numbers that are not finite");
    return;
  }
  const std::size_t codes = count_in<std::int32_t>(file, path);
  codes_ = codes_in(file, codes);
  quantizer_ = read_quantizer(file, path, columns_);
  if (codes / quantizer_.groups != rows_ || codes % quantizer_.groups != 0)
    throw damaged_file(path, fmt::format("it has {} codes for {} rows", codes, rows_));
  if (!has_norms) return;
  norm_codes_ = codes_in(file, rows_);
  norm_quantizer_ = read_quantizer(file, path, 1);
}

FastTextMatrix::Quantizer FastTextMatrix::read_quantizer(ByteReader& file, const std::string& path,
                                                         std::size_t columns) {
  Quantizer quantizer;
  const std::size_t all = count_in<std::int32_t>(file, path);
  quantizer.groups = count_in<std::int32_t>(file, path);
  quantizer.width = count_in<std::int32_t>(file, path);
  quantizer.last_width = count_in<std::int32_t>(file, path);
  if (all != columns || quantizer.groups == 0 || quantizer.last_width == 0 ||
      (quantizer.groups - 1) * quantizer.width + quantizer.last_width != columns)
    throw damaged_file(path, "its quantizer does not fit its matrix");
  quantizer.centroids = floats_in(file, columns * kCentroids);
  if (!std::ranges::all_of(quantizer.centroids, [](float value) { return std::isfinite(value); }))
    throw damaged_file(path, "it has numbers that are not finite");
  return quantizer;
}

std::span<const float> FastTextMatrix::Quantizer::centroid(std::size_t group, std::uint8_t code) const {
  const bool is_last = group + 1 == groups;
  const std::size_t size = is_last ? last_width : width;
  return {&centroids[group * kCentroids * width + code * size], size};
}

void FastTextMatrix::add_row(std::size_t row, std::span<float> sum) const {
  if (!values_.empty()) {
    for (std::size_t i = 0; i < columns_; ++i) sum[i] += values_[row * columns_ + i];
    return;
  }
  const float norm = norm_codes_.empty() ? 1 : norm_quantizer_.centroid(0, norm_codes_[row])[0];
  for (std::size_t group = 0, at = 0; group < quantizer_.groups; ++group) {
    for (const float value : quantizer_.centroid(group, codes_[row * quantizer_.groups + group]))
      sum[at++] += norm * value;
  }
}

float FastTextMatrix::dot(std::size_t row, std::span<const float> vector) const {
  std::vector<float> values(columns_);
  add_row(row, values);
  return std::inner_product(values.begin(), values.end(), vector.begin(), 0.0F);
}

FastTextModel::FastTextModel(std::string_view bytes, const std::string& path) {
  ByteReader file(bytes, path);
  if (bytes.size() < 2 * sizeof(std::int32_t) || file.number<std::int32_t>() != kFastTextMagic)
    throw Error("'{}' is not a model of fastText", path);
  if (const auto version = file.number<std::int32_t>(); version != kFastTextVersion)
    throw Error("'{}' has version {} of fastText's format; only {} is known", path, version,
                kFastTextVersion);
  const std::size_t columns = count_in<std::int32_t>(file, path);
  file.bytes(4 * sizeof(std::int32_t));  // settings of training
  word_ngrams_ = file.number<std::int32_t>();
  const auto loss = file.number<std::int32_t>();
  if (file.number<std::int32_t>() != kSupervised)
    throw Error("'{}' is a model of word vectors; a classifier is needed (fasttext supervised)", path);
  if (loss < 1 || loss > 4) throw damaged_file(path, fmt::format("it has a loss {}", loss));
  loss_ = static_cast<Loss>(loss);
  buckets_ = static_cast<std::uint32_t>(count_in<std::int32_t>(file, path));
  shortest_ = file.number<std::int32_t>();
  longest_ = file.number<std::int32_t>();
  if (word_ngrams_ > kLongestNgram || longest_ > kLongestNgram)
    throw damaged_file(path,
                       fmt::format("it has n-grams of {} words and of {} letters", word_ngrams_, longest_));
  file.bytes(sizeof(std::int32_t) + sizeof(double));
  read_dictionary(file, path);
  const bool is_quantized = file.number<std::uint8_t>() != 0;
  matrices_.emplace_back(file, path, is_quantized);
  const bool has_quantized_output = file.number<std::uint8_t>() != 0;
  matrices_.emplace_back(file, path, is_quantized && has_quantized_output);
  const std::size_t rows = words_.size() + (is_pruned_ ? kept_.size() : buckets_);
  if (matrices_[0].columns() != columns || matrices_[1].columns() != columns || matrices_[0].rows() != rows ||
      matrices_[1].rows() != labels_.size())
    throw damaged_file(path, "its matrices do not fit its words and labels");
  if (loss_ == Loss::hierarchical_softmax) build_tree();
}

void FastTextModel::read_dictionary(ByteReader& file, const std::string& path) {
  const std::size_t entries = count_in<std::int32_t>(file, path), words = count_in<std::int32_t>(file, path),
                    labels = count_in<std::int32_t>(file, path);
  file.bytes(sizeof(std::int64_t));  // tokens of the training text
  const auto pruned = file.number<std::int64_t>();
  if (labels == 0 || words + labels != entries)
    throw damaged_file(path, "its words and labels are miscounted");
  for (std::size_t i = 0; i < entries; ++i) {
    std::string word = word_in(file);
    const std::size_t count = count_in<std::int64_t>(file, path);
    const bool is_label = file.number<std::int8_t>() != 0;
    if (is_label != (i >= words)) throw damaged_file(path, "its labels do not come after its words");
    if (is_label) {
      if (word.starts_with(kLabelPrefix)) word.erase(0, kLabelPrefix.size());
      labels_.push_back(std::move(word));
      counts_.push_back(count);
    } else if (!words_.emplace(std::move(word), i).second) {
      throw damaged_file(path, "a word occurs in it twice");
    }
  }
  is_pruned_ = pruned >= 0;
  for (std::int64_t i = 0; i < pruned; ++i) {
    const std::size_t bucket = count_in<std::int32_t>(file, path), place = count_in<std::int32_t>(file, path);
    if (place >= static_cast<std::size_t>(pruned) || !kept_.emplace(bucket, place).second)
      throw damaged_file(path, "its list of n-grams has a wrong number");
  }
}

// Builds the tree as fastText does, whose labels are in descending order of their counts.
void FastTextModel::build_tree() {
  const std::size_t labels = counts_.size();
  std::size_t built = labels;
  std::vector<std::uint64_t> all = counts_;
  all.resize(2 * labels - 1);
  std::size_t leaves = labels, node = labels;
  const auto next = [&] {
    const bool is_leaf = leaves > 0 && (node == built || all[leaves - 1] < all[node]);
    return is_leaf ? --leaves : node++;
  };
  for (; built < all.size(); ++built) {
    const std::size_t left = next(), right = next();
    tree_.push_back({left, right});
    all[built] = all[left] + all[right];
  }
}

void FastTextModel::add_bucket(std::uint64_t bucket, std::vector<std::size_t>& rows) const {
  if (!is_pruned_) return rows.push_back(words_.size() + bucket);
  const auto kept = kept_.find(bucket);
  if (kept != kept_.end()) rows.push_back(words_.size() + kept->second);
}

void FastTextModel::add_ngrams(std::string_view word, std::vector<std::size_t>& rows) const {
  if (buckets_ == 0) return;
  for (std::size_t begin = 0; begin < word.size(); ++begin) {
    if (is_continuation(word[begin])) continue;
    std::size_t end = begin;
    for (int length = 1; end < word.size() && length <= longest_; ++length) {
      for (++end; end < word.size() && is_continuation(word[end]);) ++end;
      const bool is_boundary = length == 1 && (begin == 0 || end == word.size());
      if (length < shortest_ || is_boundary) continue;
      add_bucket(fasttext_hash(word.substr(begin, end - begin)) % buckets_, rows);
    }
  }
}

void FastTextModel::add_word(std::string_view word, std::vector<std::size_t>& rows) const {
  const auto known = words_.find(std::string(word));
  if (known != words_.end()) rows.push_back(known->second);
  if (word != kEndWord) add_ngrams('<' + std::string(word) + '>', rows);
}

void FastTextModel::add_word_ngrams(const std::vector<std::int32_t>& hashes,
                                    std::vector<std::size_t>& rows) const {
  if (buckets_ == 0) return;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    auto hash = static_cast<std::uint64_t>(hashes[i]);
    for (std::size_t j = i + 1;
         j < hashes.size() && std::cmp_less(j, i + static_cast<std::size_t>(word_ngrams_)); ++j) {
      hash = hash * 116'049'371 + static_cast<std::uint64_t>(hashes[j]);
      add_bucket(hash % buckets_, rows);
    }
  }
}

std::vector<std::size_t> FastTextModel::rows_of(std::string_view text) const {
  constexpr std::string_view kSpaces(" \n\r\t\v\f\0", 7);
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> hashes;
  const auto add = [&](std::string_view word) {
    add_word(word, rows);
    if (word_ngrams_ > 1) hashes.push_back(static_cast<std::int32_t>(fasttext_hash(word)));
  };
  for (std::size_t begin = text.find_first_not_of(kSpaces); begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    add(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpaces, end);
  }
  if (rows.empty()) return rows;
  add(kEndWord);
  add_word_ngrams(hashes, rows);
  return rows;
}

std::vector<float> FastTextModel::tree_probabilities(std::span<const float> hidden) const {
  std::vector<float> all(labels_.size() + tree_.size(), 1);
  for (std::size_t i = tree_.size(); i-- > 0;) {
    const float right = sigmoid(matrices_[1].dot(i, hidden));
    all[tree_[i].left] = all[labels_.size() + i] * (1 - right);
    all[tree_[i].right] = all[labels_.size() + i] * right;
  }
  all.resize(labels_.size());
  return all;
}

std::vector<float> FastTextModel::probabilities(std::string_view text) const {
  const std::vector<std::size_t> rows = rows_of(text);
  if (rows.empty()) return {};
  std::vector<float> hidden(matrices_[0].columns());
  for (const std::size_t row : rows) matrices_[0].add_row(row, hidden);
  for (float& value : hidden) value /= static_cast<float>(rows.size());
  if (loss_ == Loss::hierarchical_softmax) return tree_probabilities(hidden);
  std::vector<float> found(labels_.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = matrices_[1].dot(i, hidden);
  if (loss_ != Loss::softmax) {
    std::ranges::transform(found, found.begin(), sigmoid);
    return found;
  }
  const float most = *std::ranges::max_element(found);
  for (float& value : found) value = std::exp(value - most);
  const float sum = std::accumulate(found.begin(), found.end(), 0.0F);
  for (float& value : found) value /= sum;
  return found;
}

}  // namespace nmt
