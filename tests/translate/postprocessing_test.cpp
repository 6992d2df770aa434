#include "translate/service/postprocessing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/factory.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PostprocessingTest : public ::testing::Test {
 protected:
  /// Returns a job whose text has these translations.
  JobPtr job_of(std::uint64_t id, const std::string& text) {
    auto job = std::make_shared<TranslationJob>();
    job->id = id;
    job->request = {.text = text, .search = search_, .vocabularies = vocabularies_, .align_words = true};
    job->source = vocabularies_->source.encode(text);
    return job;
  }
  std::vector<Hypothesis> hypotheses_of(const std::vector<std::string>& texts) const {
    std::vector<Hypothesis> hypotheses;
    for (const std::string& text : texts)
      hypotheses.push_back({.score = -1, .log_probability = -1, .ids = vocabularies_->target.encode(text)});
    return hypotheses;
  }
  /// Returns the whole alignment as text.
  std::vector<std::int64_t> sources_of(const std::string& text, const std::string& translation) {
    const Vocabularies& vocabularies = *vocabularies_;
    const std::vector<int> source = vocabularies.source.encode(text),
                           target = vocabularies.target.encode(translation);
    const AlignedPair pair{{0, source, target},
                           words_of(vocabularies.source, text, source),
                           words_of(vocabularies.target, target)};
    return sources_of_words(aligner_.align(workers_.whole(), {pair}, 1000).front());
  }

  const std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 1});
  const SavedModel model_ = testing::text_model(*backend_, testing::text_vocabulary());
  Workers workers_{*backend_};
  const Aligner aligner_{model_, *backend_, {}};
  const LengthLimit length_limit_{1000, ensemble_of({&model_})};
  const std::shared_ptr<const Vocabularies> vocabularies_ =
      std::make_shared<const Vocabularies>(model_.vocabularies);
  const std::shared_ptr<const SearchSettings> search_ = std::make_shared<const SearchSettings>();
  const std::vector<std::string> lines_ = testing::source_lines(10);
};

TEST_F(PostprocessingTest, AlignsInSlicesThatJobsTakeInTurn) {
  Postprocessing postprocessing(length_limit_, &aligner_, 1);  // a pair at a time
  const JobPtr many = job_of(1, lines_[0]), one = job_of(2, lines_[1]);
  postprocessing.add(many, hypotheses_of({lines_.begin(), lines_.begin() + 8}));
  postprocessing.add(one, hypotheses_of({lines_[9]}));
  EXPECT_THAT(postprocessing.take_complete(), IsEmpty());
  postprocessing.align_slice(workers_.whole());
  EXPECT_THAT(postprocessing.take_complete(), IsEmpty());
  postprocessing.align_slice(workers_.whole());
  EXPECT_THAT(postprocessing.take_complete(), ElementsAre(one)) << "before seven pairs of the other one";
  EXPECT_EQ(one->result.translations.at(0).sources, sources_of(lines_[1], lines_[9]));
  int slices = 2;
  std::vector<JobPtr> complete;
  for (; postprocessing.is_pending() && complete.empty(); ++slices) {
    postprocessing.align_slice(workers_.whole());
    complete = postprocessing.take_complete();
  }
  EXPECT_EQ(slices, 9);
  EXPECT_THAT(complete, ElementsAre(many));
  ASSERT_EQ(many->result.translations.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(many->result.translations[i].sources, sources_of(lines_[0], lines_[i]));
  EXPECT_FALSE(postprocessing.is_pending());
}

TEST_F(PostprocessingTest, ASliceHoldsPairsOfSeveralJobs) {
  Postprocessing postprocessing(length_limit_, &aligner_, 1000);
  for (std::uint64_t id = 0; id < 3; ++id)
    postprocessing.add(job_of(id, lines_[0]), hypotheses_of({lines_[1], lines_[2]}));
  EXPECT_THAT(postprocessing.take_complete(), IsEmpty());
  postprocessing.align_slice(workers_.whole());
  EXPECT_EQ(postprocessing.take_complete().size(), 3U);
}

TEST_F(PostprocessingTest, DroppedJobsTakeNoMoreSlices) {
  Postprocessing postprocessing(length_limit_, &aligner_, 1);
  const JobPtr job = job_of(1, lines_[0]);
  postprocessing.add(job, hypotheses_of({lines_[1], lines_[2], lines_[3]}));
  EXPECT_THAT(postprocessing.take_complete(), IsEmpty());
  postprocessing.align_slice(workers_.whole());
  postprocessing.drop(job->id);
  EXPECT_FALSE(postprocessing.is_pending());
}

TEST_F(PostprocessingTest, WhatIsNotAlignedIsCompleteAtOnce) {
  Postprocessing postprocessing(length_limit_, &aligner_, 1);
  postprocessing.add(job_of(1, lines_[0]), hypotheses_of({lines_[1]}));
  const JobPtr plain = job_of(2, lines_[0]);
  plain->request.align_words = false;
  postprocessing.add(plain, hypotheses_of({lines_[1]}));
  EXPECT_THAT(postprocessing.take_complete(), ElementsAre(plain));
  EXPECT_EQ(plain->result.translations.at(0).text, lines_[1]);
  EXPECT_EQ(plain->result.target_tokens, std::ssize(vocabularies_->target.encode(lines_[1])));
}

}  // namespace
}  // namespace nmt
