#include "foreign/huggingface/tokenizer_json.h"

#include <algorithm>
#include <bit>
#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/text/parsed_json.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "data/vocabulary/model_proto.h"
#include "data/vocabulary/protobuf.h"
#include "data/vocabulary/vocabulary_check.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

namespace proto = model_proto;
using model_proto::PieceType;

namespace {

using nlohmann::json;

constexpr int kMostWords = 10'000'000;

/// Decodes base64 as the `tokenizers` library writes it. Throws Error with the reason alone.
std::string from_base64(std::string text) {
  using Characters = boost::archive::iterators::binary_from_base64<std::string::const_iterator>;
  using Bytes = boost::archive::iterators::transform_width<Characters, 8, 6>;
  const std::size_t padding = text.size() - std::min(text.size(), text.find_last_not_of('=') + 1);
  if (text.size() % 4 != 0 || padding > 2) throw Error("its normalization rules are not base64");
  std::replace(text.end() - static_cast<std::ptrdiff_t>(padding), text.end(), '=', 'A');
  try {
    std::string bytes(Bytes(text.cbegin()), Bytes(text.cend()));
    bytes.resize(bytes.size() - padding);
    return bytes;
  } catch (const boost::archive::iterators::dataflow_exception&) {
    throw Error("its normalization rules are not base64");
  }
}

/// Returns the type of a part of a tokenizer, such as "Metaspace".
std::string type_of(const json& part) {
  return part.at("type").get<std::string>();
}

/// Returns the parts of a sequence, or a part by itself; none for null.
std::vector<json> parts_in(const json& part, const char* sequence) {
  if (part.is_null()) return {};
  return type_of(part) == "Sequence" ? part.at(sequence).get<std::vector<json>>() : std::vector{part};
}

/// Refuses what nmt has no equivalent for.
[[noreturn]] void refuse(const char* part, const std::string& value) {
  throw Error("its {} is {}, which nmt does not support", part, quoted(value));
}

}  // namespace

/// Reads a parsed file.
class TokenizerJson::Reader {
 public:
  explicit Reader(TokenizerJson& target) : target_(target), words_(target.name_) {}

  void read(const json& file) {
    for (const json& token : file.at("added_tokens")) read_added(token);
    bool is_byte_level = false;
    for (const json& part : parts_in(file.at("pre_tokenizer"), "pretokenizers"))
      is_byte_level |= read_division(part);
    for (const json& part : parts_in(file.at("normalizer"), "normalizers")) read_normalizer(part);
    const json& model = file.at("model");
    const std::string type = model.value("type", model.contains("merges") ? "BPE" : "Unigram");
    if (type == "BPE") {
      target_.kind_ = is_byte_level ? Kind::byte_level_bpe : Kind::bpe;
      read_bpe(model);
    } else if (type == "Unigram" && !is_byte_level) {
      read_unigram(model);
    } else {
      refuse("model", type);
    }
  }

  /// Completes the list of words after read(). Throws Error that names the file.
  void finish() {
    if (target_.kind_ != Kind::unigram) target_.words_ = words_.finish();
  }

 private:
  void read_added(const json& token) {
    const std::string text = token.at("content").get<std::string>();
    check_added_token(text);
    const int id = id_in(token.at("id"), "the id of the added token " + quoted(text));
    target_.added_[id] = text;
    if (token.value("special", false)) target_.special_.insert(id);
  }

  static int id_in(const json& value, const std::string& what) {
    return static_cast<int>(whole_number_in(value, what, kMostWords - 1));
  }

  /// Reads how text is divided into words. Returns whether they are divided into bytes.
  bool read_division(const json& part) {
    const std::string type = type_of(part);
    if (type == "ByteLevel") {
      if (part.value("add_prefix_space", true)) refuse("pre_tokenizer", "ByteLevel with add_prefix_space");
      return true;
    }
    if (type == "WhitespaceSplit") {
      target_.joins_spaces_ = target_.splits_at_spaces_ = true;
    } else if (type == "Metaspace") {
      if (part.at("replacement") != kSpaceMark) refuse("space", part.at("replacement").get<std::string>());
      const bool adds = part.value("add_prefix_space", true);
      target_.begins_with_space_ = part.value("prepend_scheme", adds ? "always" : "never") != "never";
    } else {
      refuse("pre_tokenizer", type);
    }
    return false;
  }

  void read_normalizer(const json& part) {
    const std::string type = type_of(part);
    if (type == "Precompiled") {
      target_.rules_ = from_base64(part.at("precompiled_charsmap").get<std::string>());
    } else if (type == "Replace" && part.at("pattern") == json{{"Regex", " {2,}"}} &&
               (part.at("content") == " " || part.at("content") == kSpaceMark)) {
      target_.joins_spaces_ = true;
    } else if (type != "Strip") {  // white space around a text is not part of it
      refuse("normalizer", type);
    }
  }

  void read_bpe(const json& model) {
    for (const char* const affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const json value = model.value(affix, json());
      if (value.is_string() && !value.get<std::string>().empty()) refuse(affix, value.get<std::string>());
    }
    for (const auto& [word, id] : model.at("vocab").items())
      words_.add(word, static_cast<std::uint64_t>(id_in(id, "the id of the word " + quoted(word))));
    for (const json& merge : model.at("merges")) target_.merges_.push_back(merge_in(merge));
    target_.has_byte_pieces_ = model.value("byte_fallback", false);
    if (target_.kind_ == Kind::bpe && !target_.has_byte_pieces_ && !model.value("fuse_unk", false))
      refuse("model", "BPE without fuse_unk");
  }

  /// Returns a merge, which older versions write as one text.
  static Merge merge_in(const json& merge) {
    if (merge.is_array()) return {merge.at(0).get<std::string>(), merge.at(1).get<std::string>()};
    const auto text = merge.get<std::string>();
    const std::size_t space = text.find(' ');
    if (space == text.npos) throw Error("the merge {} has one part", quoted(text));
    return {text.substr(0, space), text.substr(space + 1)};
  }

  void read_unigram(const json& model) {
    for (const json& piece : model.at("vocab")) {
      target_.words_.push_back(piece.at(0).get<std::string>());
      target_.scores_.push_back(piece.at(1).get<float>());
    }
    target_.has_byte_pieces_ = model.value("byte_fallback", false);
    if (const json unknown = model.value("unk_id", json()); !unknown.is_null())
      target_.unknown_ = id_in(unknown, "unk_id");
  }

  TokenizerJson& target_;
  WordListBuilder words_;  // of BPE
};

TokenizerJson::TokenizerJson(std::string_view text, std::string name) : name_(std::move(name)) {
  constexpr std::size_t kLongestTokenizer = std::size_t{512} << 20;
  if (text.size() > kLongestTokenizer)
    throw Error("'{}' has {} bytes, more than {}; it is not a tokenizer", name_, text.size(),
                kLongestTokenizer);
  const json file = parsed_json(text, name_);
  Reader reader(*this);
  try {
    reader.read(file);
  } catch (const json::exception&) {
    throw Error("'{}' is not as transformers writes it", name_);
  } catch (const Error& error) {
    throw Error("'{}': {}", name_, error.what());
  }
  reader.finish();
}

void TokenizerJson::require_byte_level(bool is_needed) const {
  if (is_byte_level() == is_needed) return;
  throw Error("'{}' does not divide text into {}, as tokenizers of its class do", name_,
              is_needed ? "pairs of bytes" : "pieces of SentencePiece");
}

const WordList& TokenizerJson::words() const {
  require_byte_level(true);
  return words_;
}

std::string TokenizerJson::merges() const {
  require_byte_level(true);
  std::string lines;
  for (const auto& [left, right] : merges_) lines.append(left).append(" ").append(right).append("\n");
  return lines;
}

namespace {

std::string piece_field(std::string_view text, float score, PieceType type) {
  return bytes_field(proto::kPiece, bytes_field(proto::kText, text) +
                                        fixed32_field(proto::kScore, std::bit_cast<std::uint32_t>(score)) +
                                        varint_field(proto::kType, static_cast<std::uint64_t>(type)));
}

/// Whether a piece stands for one byte: <0x0A>.
bool is_byte_piece(std::string_view word) {
  return word.size() == 6 && word.starts_with("<0x") && word.ends_with('>');
}

/// Whether a piece has spaces after its beginning, where the `tokenizers` library divides text before it
/// looks for pieces.
bool spans_words(std::string_view word) {
  return word.find(kSpaceMark, 1) != word.npos;
}

}  // namespace

// SentencePiece first merges the pair whose result has the highest score, but the `tokenizers` library the
// pair that comes first. They agree if all pairs that result in a piece come in a row, and if every two
// pieces that together are a piece are such a pair.
std::vector<float> TokenizerJson::scores_of_merges() const {
  std::unordered_set<std::string_view> known;
  for (const std::string& word : words_) {
    if (!word.empty()) known.insert(word);
  }
  std::unordered_map<std::string, std::size_t> first, counts;  // of the merges that result in a piece
  std::string last;
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    std::string whole = merges_[rank].left + merges_[rank].right;
    if (spans_words(whole)) continue;
    const bool is_new = first.try_emplace(whole, rank).second;
    if (!is_new && whole != last)
      throw Error("'{}': the merges that result in {} are not next to each other, as SentencePiece requires",
                  name_, quoted(whole));
    ++counts[whole];
    last = std::move(whole);
  }
  std::vector<float> scores(words_.size(), -static_cast<float>(merges_.size()));
  for (std::size_t id = 0; id < words_.size(); ++id) {
    const std::string& word = words_[id];
    if (word.empty() || added_.contains(static_cast<int>(id)) || spans_words(word)) continue;
    std::size_t pairs = 0;
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string_view whole = word;
      pairs += known.contains(whole.substr(0, i)) && known.contains(whole.substr(i)) ? 1 : 0;
    }
    const auto found = counts.find(word);
    if (pairs != (found == counts.end() ? 0 : found->second))
      throw Error("'{}': the merges lack pairs that result in {}, which SentencePiece would merge", name_,
                  quoted(word));
    if (found != counts.end()) scores[id] = -static_cast<float>(first.at(word));
  }
  return scores;
}

// The text of a piece decides its type, unless it is an added token, which is found before pieces are.
PieceType TokenizerJson::type_of_piece(int id) const {
  const std::string& word = words_.at(static_cast<std::size_t>(id));
  if (id == unknown_) return PieceType::unknown;
  if (special_.contains(id)) return PieceType::control;
  if (added_.contains(id)) return PieceType::user_defined;
  if (has_byte_pieces_ && is_byte_piece(word)) return PieceType::byte;
  return spans_words(word) ? PieceType::unused : PieceType::normal;
}

namespace {

constexpr int kOfFairseq = 4;  // special tokens before the pieces

}  // namespace

bool TokenizerJson::begins_as_fairseq() const {
  return std::ssize(words_) >= kOfFairseq && words_[0] == "<s>" && words_[1] == "<pad>" &&
         words_[2] == "</s>" && words_[3] == "<unk>";
}

std::string TokenizerJson::fairseq_sentencepiece() const {
  require_byte_level(false);
  if (!begins_as_fairseq())
    throw Error("'{}': its vocabulary does not begin with <s>, <pad>, </s> and <unk>", name_);
  int count = static_cast<int>(words_.size());
  while (count > kOfFairseq && added_.contains(count - 1)) --count;
  return piece_field("<unk>", 0, PieceType::unknown) + piece_field("<s>", 0, PieceType::control) +
         piece_field("</s>", 0, PieceType::control) + pieces(kOfFairseq, count) + settings_of_pieces();
}

std::string TokenizerJson::sentencepiece() const {
  require_byte_level(false);
  if (unknown_ < 0 || unknown_ >= std::ssize(words_))
    throw Error("'{}': its vocabulary has no unknown piece (unk_id)", name_);
  if (const std::string& piece = words_[static_cast<std::size_t>(unknown_)]; piece != "<unk>")
    throw Error("'{}': its unknown piece (unk_id {}) is {}, but nmt supports only <unk>", name_, unknown_,
                quoted(piece));
  return pieces(0, static_cast<int>(words_.size())) + settings_of_pieces();
}

std::string TokenizerJson::sentencepiece_of_any_ids() const {
  return begins_as_fairseq() ? fairseq_sentencepiece() : sentencepiece();
}

std::string TokenizerJson::pieces(int first, int end) const {
  const std::vector<float> scores = kind_ == Kind::unigram ? scores_ : scores_of_merges();
  std::string fields;
  for (int id = first; id < end; ++id) {
    const auto place = static_cast<std::size_t>(id);
    fields += piece_field(words_[place], scores[place], type_of_piece(id));
  }
  return fields;
}

std::string TokenizerJson::settings_of_pieces() const {
  const auto type = kind_ == Kind::bpe ? VocabularyType::bpe : VocabularyType::unigram;
  std::string model =
      bytes_field(proto::kTrainer, varint_field(proto::kModelType, static_cast<std::uint64_t>(type)) +
                                       varint_field(proto::kByteFallback, has_byte_pieces_ ? 1 : 0));
  model += bytes_field(proto::kNormalizer,
                       bytes_field(proto::kName, "precompiled") + bytes_field(proto::kRules, rules_) +
                           varint_field(proto::kAddDummyPrefix, begins_with_space_ ? 1 : 0) +
                           varint_field(proto::kRemoveExtraSpaces, joins_spaces_ ? 1 : 0));
  return model;
}

}  // namespace nmt
