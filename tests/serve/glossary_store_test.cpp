#include "serve/glossary_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "serve/call_error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;

/// Returns a dictionary with terms of these sources.
Dictionary dictionary(const std::vector<std::string>& sources, const Languages& pair = {"en", "de"}) {
  std::vector<Term> terms;
  for (const std::string& source : sources) terms.push_back({.source = source, .targets = {"x"}});
  return {pair, std::make_shared<const Glossary>(std::move(terms))};
}

std::vector<std::string> names(const std::vector<StoredGlossaryPtr>& glossaries) {
  std::vector<std::string> names;
  for (const StoredGlossaryPtr& each : glossaries) names.push_back(each->name);
  return names;
}

class GlossaryStoreTest : public ::testing::Test {
 protected:
  GlossaryStore open(GlossaryLimits limits = {}) { return {folder_ / "glossaries", log_, limits}; }

  TemporaryFolder folder_;
  RecordingLog log_;
};

TEST_F(GlossaryStoreTest, KeepsGlossariesInFiles) {
  std::string id;
  {
    GlossaryStore store = open();
    const StoredGlossaryPtr added =
        store.add("", "ä/../\n\"", {dictionary({"bank", "car"}), dictionary({"voiture"}, {"fr", "de"})});
    id = added->id;
    EXPECT_THAT(id, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_THAT(added->created, MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
    EXPECT_EQ(store.find("", id), added);
  }
  const StoredGlossaryPtr found = open().find("", id);
  EXPECT_EQ(found->name, "ä/../\n\"");
  ASSERT_EQ(found->dictionaries.size(), 2U);
  EXPECT_EQ(found->dictionaries[0].terms->terms()[1].source, "car");
  EXPECT_THAT(found->dictionaries[0].terms->terms()[1].targets, ElementsAre("x"));
  EXPECT_EQ(found->dictionaries[1].pair, (Languages{"fr", "de"}));
}

TEST_F(GlossaryStoreTest, OwnersSeeOnlyTheirOwn) {
  GlossaryStore store = open();
  const std::string one = store.add("one", "a", {dictionary({"bank"})})->id;
  store.add("one", "b", {dictionary({"bank"})});
  store.add("two", "a", {dictionary({"bank"})});
  EXPECT_THAT(names(store.list("one")), ::testing::UnorderedElementsAre("a", "b"));
  EXPECT_THAT(names(store.list("two")), ElementsAre("a"));
  EXPECT_THAT(store.list(""), IsEmpty());
  for (const char* const other : {"two", ""}) {
    EXPECT_THAT([&] { store.find(other, one); }, ThrowsMessage<CallError>(HasSubstr("unknown glossary")));
    EXPECT_THROW(store.remove(other, one), CallError);
    EXPECT_THROW(store.replace(other, one, "c", {dictionary({"bank"})}), CallError);
  }
  EXPECT_EQ(store.find("one", one)->name, "a");
}

TEST_F(GlossaryStoreTest, ReplacesAndRemoves) {
  GlossaryStore store = open();
  const StoredGlossaryPtr before = store.add("", "a", {dictionary({"bank"})});
  const StoredGlossaryPtr after = store.replace("", before->id, "b", {dictionary({"car"})});
  EXPECT_EQ(after->id, before->id);
  EXPECT_EQ(after->created, before->created);
  EXPECT_EQ(before->name, "a") << "requests keep what they have found";
  EXPECT_EQ(open().find("", before->id)->name, "b");
  store.remove("", before->id);
  EXPECT_THROW(store.find("", before->id), CallError);
  EXPECT_THAT(open().list(""), IsEmpty());
  EXPECT_THROW(store.remove("", before->id), CallError);
}

TEST_F(GlossaryStoreTest, AFailureIsLoggedWithoutTellingTheClientPaths) {
  GlossaryStore store = open();
  std::filesystem::remove_all(folder_ / "glossaries");
  EXPECT_THAT(
      [&] { store.add("", "a", {dictionary({"bank"})}); },
      ThrowsMessage<CallError>("the server cannot store the glossary; ask its operator, whose log says why"));
  EXPECT_THAT(log_.take(), HasSubstr("warning: a glossary is not stored: "));
  EXPECT_THAT(store.list(""), IsEmpty());
}

TEST_F(GlossaryStoreTest, IdsAreNoPaths) {
  GlossaryStore store = open();
  const std::string other = folder_.write("other.json", "{}");
  for (const std::string id : {"../other", "", "/etc/passwd"})
    EXPECT_THROW(store.remove("", id), CallError) << id;
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(GlossaryStoreTest, LimitsConcernOneOwner) {
  GlossaryStore store = open({.glossaries = 2, .terms = 3, .name_characters = 5});
  const std::string id = store.add("", "a", {dictionary({"bank", "car"})})->id;
  const auto add = [&](const std::string& name, const std::vector<std::string>& sources) {
    return [&store, name, sources] { store.add("", name, {dictionary(sources)}); };
  };
  EXPECT_THAT(add("b", {"bank", "car"}),
              ThrowsMessage<CallError>(HasSubstr("would have 4 terms, but at most 3")));
  EXPECT_THAT(add("", {"bank"}), ThrowsMessage<UsageError>(HasSubstr("from 1 to 5 characters")));
  EXPECT_THAT(add("äöüßéè", {"bank"}), ThrowsMessage<UsageError>(HasSubstr("from 1 to 5 characters")));
  EXPECT_NO_THROW(add("äöüßé", {"bank"})());
  EXPECT_THAT(add("c", {}), ThrowsMessage<CallError>(HasSubstr("there are 2 glossaries already")));
  EXPECT_NO_THROW(store.replace("", id, "a", {dictionary({"one", "two"})}));
  EXPECT_NO_THROW(store.add("other", "c", {dictionary({"a", "b", "c"})}));
}

TEST_F(GlossaryStoreTest, LanguagesAreChecked) {
  GlossaryStore store = open();
  const auto add = [&](std::vector<Dictionary> dictionaries) {
    return [&store, dictionaries] { store.add("", "a", dictionaries); };
  };
  EXPECT_THAT(add({}), ThrowsMessage<UsageError>(HasSubstr("at least one dictionary")));
  EXPECT_THAT(add({dictionary({"a"}), dictionary({"b"})}),
              ThrowsMessage<UsageError>("two dictionaries are from 'en' to 'de'; join them"));
  EXPECT_THAT(add({dictionary({"a"}, {"en", ""})}),
              ThrowsMessage<UsageError>(HasSubstr("both languages, or none")));
  EXPECT_NO_THROW(add({dictionary({"a"}, {}), dictionary({"b"})})());
}

TEST_F(GlossaryStoreTest, DamagedFilesAreLeftAlone) {
  const std::string id = open().add("", "a", {dictionary({"bank"})})->id;
  const std::string folder = folder_ / "glossaries";
  const std::string damaged = "00000000-0000-4000-8000-00000000000";
  const std::vector<std::string> texts = {
      "", "{", "{}", R"({"format": "other"})",
      R"({"format":"nmt.glossary","owner":"","name":"a","created":"","dictionaries":[{"source":"","target":"","terms":[["a"]]}]})"};
  for (std::size_t i = 0; i < texts.size(); ++i)
    folder_.write("glossaries/" + damaged + std::to_string(i) + ".json", texts[i]);
  folder_.write("glossaries/notes.txt", "notes");
  const GlossaryStore store = open();
  EXPECT_EQ(store.list("").size(), 1U);
  const std::string log = log_.take();
  EXPECT_EQ(std::ranges::count(log, '\n'), std::ssize(texts)) << log;
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_THAT(log, HasSubstr(damaged + std::to_string(i) + ".json' is left out: "));
  EXPECT_TRUE(std::filesystem::exists(folder + '/' + damaged + "0.json"));
}

TEST_F(GlossaryStoreTest, ReadsItsFilesAgain) {
  GlossaryStore store = open(), other = open();
  const std::string id = other.add("", "a", {dictionary({"bank"})})->id;
  EXPECT_THROW(store.find("", id), CallError);
  store.reload();
  EXPECT_EQ(store.find("", id)->name, "a");
}

TEST_F(GlossaryStoreTest, NeedsAFolder) {
  const std::string file = folder_.write("file", "");
  EXPECT_THROW(GlossaryStore(file, log_), Error);
  EXPECT_THROW(GlossaryStore(folder_ / "no/folder", log_), Error);
}

TEST(OwnerOfTest, IsTheHashOfTheKey) {
  EXPECT_EQ(owner_of(nullptr), "");
  const ApiClient client{.name = "a", .key_hash = sha256_of("abc")};
  EXPECT_EQ(owner_of(&client), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace nmt
