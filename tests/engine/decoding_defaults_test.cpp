#include "engine/decoding_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/complaint.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

class DecodingDefaultsTest : public ::testing::Test {
 protected:
  void take(const DecodingSettings& decoding, const std::set<std::string>& given = {}) {
    model_.decoding = decoding;
    take_decoding_defaults(model_, model_.vocabularies.target, "m.safetensors", given, search_, forbidden_);
  }
  std::string complaint(const DecodingSettings& decoding, const std::set<std::string>& given = {}) {
    return testing::complaint<Error>([&] { take(decoding, given); });
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  SavedModel model_{.vocabularies = {testing::text_vocabulary(), testing::text_vocabulary()}};
  SearchSettings search_;
  ForbiddenTokens forbidden_;
};

TEST_F(DecodingDefaultsTest, MaySayThatUnknownTextIsCopied) {
  EXPECT_EQ(replaces_unknown(model_, "m"), std::nullopt);
  take({{"replace_unknown", "true"}});
  EXPECT_EQ(replaces_unknown(model_, "m"), true);
  take({{"replace_unknown", "false"}});
  EXPECT_EQ(replaces_unknown(model_, "m"), false);
  EXPECT_THAT(complaint({{"replace_unknown", "yes"}}), HasSubstr("'m.safetensors', decoding: "));
}

TEST_F(DecodingDefaultsTest, SetWhatTheyName) {
  take({{"beam", "12"},
        {"length_penalty", "0.9"},
        {"length_normalization", "power"},
        {"word_penalty", "-0.5"},
        {"beam_rules", "huggingface"},
        {"patience", "1.5"},
        {"max_length_factor", "3"},
        {"max_length_extra", "7"},
        {"min_length", "2"},
        {"no_repeat_ngram_size", "3"},
        {"repetition_penalty", "1.2"},
        {"glossary_by", "annotation"},
        {"unk", "false"},
        {"suppress", "5  7 5"}});
  EXPECT_EQ(search_.beam, 12);
  EXPECT_EQ(search_.length_penalty, 0.9);
  EXPECT_EQ(search_.length_normalization, LengthNormalization::power);
  EXPECT_EQ(search_.word_penalty, -0.5);
  EXPECT_EQ(search_.beam_rules, BeamRules::huggingface);
  EXPECT_EQ(search_.patience, 1.5);
  EXPECT_EQ(search_.max_length_factor, 3);
  EXPECT_EQ(search_.max_length_extra, 7);
  EXPECT_EQ(search_.min_length, 2);
  EXPECT_EQ(search_.no_repeat_ngram_size, 3);
  EXPECT_EQ(search_.repetition_penalty, 1.2);
  EXPECT_EQ(search_.glossary_by, GlossaryBy::annotation);
  EXPECT_FALSE(forbidden_.unknown_allowed);
  const Vocabulary& target = model_.vocabularies.target;
  EXPECT_THAT(*allowed_tokens(forbidden_, nullptr, target).forbidden, IsSupersetOf({5, 7, target.unknown()}));
}

TEST_F(DecodingDefaultsTest, MayWriteWholeNumbersAsOthers) {
  take({{"beam", "4.0"}, {"min_length", "1e2"}});
  EXPECT_EQ(search_.beam, 4);
  EXPECT_EQ(search_.min_length, 100);
  for (const std::string wrong : {"4.5", "1e400", "nan"})
    EXPECT_THAT(complaint({{"beam", wrong}}), HasSubstr("beam '" + wrong + "' is not a whole number"));
}

TEST_F(DecodingDefaultsTest, LanguagesAreThoseOfTheFileUnlessTheyAreNamed) {
  const Vocabulary pieces = testing::text_vocabulary();
  WordList words;
  for (int id = 0; id < pieces.size(); ++id) words.push_back(pieces.piece(id));
  const int de = static_cast<int>(words.size());
  words.insert(words.end(), {"__de__", "__en__"});
  const ListFacts facts{.end = pieces.end(),
                        .unknown = pieces.unknown(),
                        .languages = {.tokens = {{"de", de}, {"en", de + 1}},
                                      .source = LanguageUse::Source::own_before,
                                      .target = LanguageUse::Target::first}};
  const Vocabulary vocabulary = make_piece_vocabulary(pieces.bytes(), words, facts, "made up");
  model_ = testing::text_model(*backend_, vocabulary, {{"decoder_start", "eos"}});
  model_.decoding = {{"source_language", "en"}, {"target_language", "de"}};
  use_languages(model_, {});
  take(model_.decoding);
  EXPECT_EQ(model_.vocabularies.source.encode("a")[0], de + 1);
  EXPECT_THAT(model_.vocabularies.target.first_tokens(), ElementsAre(de));
  use_languages(model_, {.source = "", .target = "en"});
  take(model_.decoding);
  EXPECT_THAT(model_.vocabularies.target.first_tokens(), ElementsAre(de + 1));
}

TEST_F(DecodingDefaultsTest, LeaveTheRestAlone) {
  take({});
  EXPECT_EQ(search_.beam, SearchSettings().beam);
  search_.beam = 1;
  take({{"beam", "12"}, {"length_penalty", "1"}, {"suppress", "9"}}, {"beam", "suppress"});
  EXPECT_EQ(search_.beam, 1) << "it was given";
  EXPECT_EQ(search_.length_penalty, 1);
  EXPECT_THAT(forbidden_.suppressed, ElementsAre(9)) << "a property of the model";
}

TEST_F(DecodingDefaultsTest, BadOnesAreAnErrorThatNamesTheFile) {
  EXPECT_THAT(complaint({{"beem", "4"}}),
              AllOf(StartsWith("'m.safetensors', decoding: unknown setting 'beem'"),
                    HasSubstr("did you mean 'beam'?")));
  for (const auto& [name, value] : DecodingSettings{{"beam", "0"},
                                                    {"beam_rules", "fairseq"},
                                                    {"length_normalization", "none"},
                                                    {"length_penalty", "-1"},
                                                    {"max_length_extra", "1e9"},
                                                    {"max_length_factor", "x"},
                                                    {"patience", ""},
                                                    {"suppress", "3 x"},
                                                    {"unk", "no"},
                                                    {"word_penalty", "nan"}}) {
    EXPECT_THAT(complaint({{name, value}}), StartsWith("'m.safetensors', decoding: " + name + " '")) << value;
    EXPECT_NE(complaint({{name, value}}, {name}), "") << "though another value was given";
  }
}

TEST_F(DecodingDefaultsTest, OnlyIdsOfTheVocabularyAreSuppressed) {
  const Vocabulary& target = model_.vocabularies.target;
  EXPECT_THAT(complaint({{"suppress", "-1"}}), HasSubstr("suppress '-1' is not a whole number from 0 to 59"));
  EXPECT_THAT(complaint({{"suppress", "60"}}), HasSubstr("from 0 to 59"));
  EXPECT_THAT(complaint({{"suppress", std::to_string(target.end())}}), HasSubstr("is EOS"));
}

}  // namespace
}  // namespace nmt
