#include "data/text/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// A text in a language, with | where one sentence ends and the next one begins.
struct Case {
  std::string language, text;
};

/// Expects that texts are split where they have a |, and nowhere else.
void expect_split(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    std::string text = each.text, found;
    std::erase(text, '|');
    const char* end = text.data();
    for (const std::string_view sentence : SentenceSplitter(each.language)(text)) {
      if (!found.empty()) found += '|';
      found += std::string_view(end, static_cast<std::size_t>(sentence.data() - end));
      found += sentence;
      end = sentence.data() + sentence.size();
    }
    EXPECT_EQ(found, each.text) << each.language;
  }
}

TEST(SentencesTest, EndAtFinalMarks) {
  const SentenceSplitter split;
  EXPECT_THAT(split("  It rains.  The dog sleeps! Why?\tNobody\u00a0knows... "),
              ElementsAre("It rains.", "The dog sleeps!", "Why?", "Nobody\u00a0knows..."));
  EXPECT_THAT(split("3.5 of them"), ElementsAre("3.5 of them"));
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \u3000 \t\n"), IsEmpty());
  EXPECT_THAT(split("A title\nA text.\r\n\r\nanother one"), ElementsAre("A title", "A text.", "another one"));
  EXPECT_THAT(split(std::string("A\xff. \xc3.", 6)), ElementsAre("A\xff.", "\xc3."));
  expect_split({
      {"en", "What?!| No!!!| Really...| Yes…| Good."},
      {"en", "See file.txt and https://x.org/?Foo=1 for v1.2.3.| Bye."},
      {"en", "Hello.World is one word.| It costs 3.50.| 4.50 is more."},
      {"en", "It is good. iPhones are good. e.g. this one."},
      {"en", "... and so on.| He (the boss!) left [...] Then he came.| What (?) Now."},
      {"en", "The study[1] is good.[2]| Another one² is not.³| Right."},
      {"en", "I love it! 😀| Thanks! 👍🏽| Bye."},
      {"en", "He left.| – She stayed. – not me.| • An item.| $5 is too much."},
      {"en", "This is **bold.**| Next one."},
      {"en", ". . . A"},
  });
}

TEST(SentencesTest, AbbreviationsDoNotEnd) {
  expect_split({
      {"en", "Mr. and Mrs. Smith came.| Prof. Dr. Jones left.| Gen. Lee won."},
      {"en",
       "It costs approx. 5 dollars, i.e. Nothing.| See Fig. 3 on p. 12 of No. 7, vol. III.| No.| Figures "
       "lie."},
      {"en", "MR. SMITH CAME.| APPROX. 5 PEOPLE.| Approx. 5 left."},
      {"en",
       "We met at 5 p.m. on Monday.| He left at 7 a.m. Tuesday.| She came at 6 p.m. EST.| It was 5 p.m.| The "
       "end."},
      {"en", "Apple Inc. Chief Tim Cook spoke.| He works at Apple Inc.| He likes it."},
      {"en", "The U.S. Senate met.| He lives in the U.S.| The weather is nice.| The U.S. has it."},
      {"en", "Apples, pears, etc.| Mary likes them.| He met Sammy Davis Jr.| Then he left."},
      {"en", "See Smith et al. (2010).| He has a Ph.D. in physics.| Yahoo! Inc. was sold."},
      {"en",
       "Have you eaten?| No.| I am fine.| He said no.| I left.| See Art. I of it and No. IV.| I saw No. 5."},
      {"en",
       "It opens at 9 a.m.| I know.| It was 9 am.| I slept.| Take 5 oz.| Stir well.| I like art.| I paint."},
      {"en", "In World War II they fought.| That was World War II.| Mary was 24.| John was 23."},
      {"en", "We live on Main St.| The house is old."},
  });
}

TEST(SentencesTest, InitialsDoNotEnd) {
  expect_split({
      {"en", "J. R. R. Tolkien wrote it.| President George W. Bush spoke.| J.R.R. Tolkien, too."},
      {"en", "He went to St. Petersburg.| D. C. Miller came.| He took vitamin C.| It helped."},
      {"fr", "M. Le Pen parla.| J.-M. Le Pen aussi.| Il partit."},
      {"ru", "А. С. Пушкин писал.| Писал Пушкин А. С. и другие.| Это я.| Мама пришла."},
      {"uk", "Т. Г. Шевченко писав.| Він жив."},
      {"hi", "ए. पी. जे. अब्दुल कलाम थे।| डॉ. शर्मा आए।"},
      {"ar", "أ. د. محمد هنا.| شكرا!"},
      {"", "George W. Bush spoke.| А. С. Пушкин писал.| Он жил."},
  });
}

TEST(SentencesTest, QuotationsGoOn) {
  expect_split({
      {"en", "\"Stop!\" he said.| \"Are you?\" she asked.| \"Yes.\"| He nodded.| (She left.)| \"Now.\""},
      {"en", "“Go,” he said.| “Now!”| ‘Why?’| She left.| He said \"yes\".| Then he left."},
      {"de",
       "„Halt!“, rief er.| „Kommst du?“ fragte sie.| „Ja.“| Er ging.| »Komm!« sagte er.| »Nein.«| Sie "
       "blieb."},
      {"fr", "« Bonjour ! » dit-il.| « Ça va ? »| Elle partit.| Qu'est-ce ?| Rien !| L'homme est là."},
      {"es", "¿Qué? dijo ella.| ¡Hola!| ¿Cómo estás?| —¡Vete! —gritó Ana.| Bien."},
      {"ru", "«Стой!» — сказал он.| «Зачем?»| Она молчала.| — Иди! — крикнул он.| — Привет."},
      {"ja", "雨が降る。|「行こう。」と彼は言った。|「なぜ？」|彼は黙った。"},
      {"zh", "她问：“为什么？”|他没有回答。|他说：“你好。”|我说：“再见。”|她问：「为什么？」|他没有回答。"},
      {"zh", "他说：“你好。|走吧。”|我说：“再见。”|“走。”他说：“快走。”"},
      {"ko", "\"가자.\" 그가 말했다.| \"왜?\" 그녀가 물었다.| \"가자.\"| 그는 집에 갔다."},
      {"zh", "“你好！”他说。|“再见。”她高兴地说。|他说：“走吧。”|然后走了！……|\"好。\"|\"不。\""},
      {"", "¿Qué? dijo ella.| \"Stop!\" he said."},
  });
}

TEST(SentencesTest, NumbersDoNotEnd) {
  expect_split({
      {"de",
       "Am 3. Oktober feiern wir.| Danach gehen wir.| Im 19. Jahrhundert war das anders.| Es war 1715.| "
       "Paris war groß."},
      {"de",
       "Er kam am 3. 10. 2020 um 10.30 Uhr.| Das Spiel endete 2:1.| Bayern gewann.| Ludwig XIV. König "
       "starb."},
      {"en",
       "1. First item.| 2. Second item.| A. Another one.| IV. The last one.| I have: 1. Sugar.| 2. Salt."},
      {"fi", "Hän syntyi 3. lokakuuta.| Se oli 3. Divisioona."},
      {"tr", "2. Dünya Savaşı başladı.| Sultan II. Mehmed geldi.| Bkz. s. 5.| Bu iyi."},
      {"cs", "Dne 3. října 2020 přišel.| Viz str. 5, č. 3.| Karel IV. Lucemburský vládl."},
      {"pl", "W 3. Dywizji.| On przyszedł 3. maja."},
      {"hu", "A 3. Hadsereg.| IV. Béla király volt.| Ő meghalt."},
      {"", "Am 3. Oktober feiern wir.| He was born in 1990.| Mary was, too."},
  });
}

TEST(SentencesTest, LanguagesHaveTheirAbbreviations) {
  expect_split({
      {"de",
       "Das ist z. B. Öl, d. h. Fett, bzw. Schmalz.| Siehe Abb. 3, S. 12, Nr. 5.| Goethestr. 5 ist hier.| "
       "Sog. Dipl.-Ing. Müller."},
      {"fr",
       "C.-à-d. Rien, p. ex. Paris.| Voir p. 12, fig. 3, art. 5.| Né en 50 av. J.-C. à Rome.| Mme. Martin."},
      {"es",
       "El Sr. García vive en EE. UU. desde 1990.| Véase pág. 5, núm. 3.| A las 5 p. m. llegó.| La Dra. "
       "López."},
      {"it", "Il sig. Rossi e il dott. Bianchi.| Nel 50 a.C. morì.| Vedi pag. 5, n. 3.| Cos'è.| È bello."},
      {"pt", "O Sr. Silva e a Dra. Costa.| Ver p. 5, fig. 3.| É bom.| Ele é.| Maria não."},
      {"ca", "El Sr. Puig.| Vegeu pàg. 5, p. ex. Barcelona."},
      {"ro", "Dl. Popescu, de ex. Ion.| Vezi pag. 5.| El vine."},
      {"nl", "Ja.| 's Morgens niet.| Het is 5 uur.| 't Is laat, enz.| ’t Is zo.| 'Nee.' 's avonds wel."},
      {"it", "Nel 200 a.C. Roma era grande."},
      {"sv", "Mjölk m.m.| Sen gick han."},
      {"hu", "Alma, körte stb.| Utána elment."},
      {"ru", "Цена 5 руб.| Дорого.| Гор. Москва велика.| Среди гор.| Мы жили."},
      {"nl", "Dhr. Jansen en mevr. De Vries kwamen.| Bijv. Amsterdam, d.w.z. Nederland.| Zie blz. 5."},
      {"sv", "Han kom kl. 5, t.ex. Bo.| Dr. Berg gick.| Det var bl.a. Stockholm.| Bra."},
      {"da", "Den 3. oktober kom han.| Se s. 5 og f.eks. København.| Godt."},
      {"nb", "Den 3. oktober kom han.| Se s. 5 og f.eks. Oslo.| Bra."},
      {"is", "Sjá bls. 5, t.d. Jón.| Hann kom."},
      {"pl", "Prof. Kowalski, np. Polska, tj. tu, m.in. Kraków.| Ul. Długa.| On wie."},
      {"cs", "Např. Praha, tj. město, tzv. Karlův.| MUDr. Novák.| On ví."},
      {"sk", "Napr. Košice, t. j. mesto.| Ing. Kováč.| On vie."},
      {"sl", "Npr. Ljubljana, t. i. Mesto.| Glej str. 5.| On ve."},
      {"hr", "Npr. Zagreb, tj. grad, tzv. Horvat.| Vidi str. 5.| On zna."},
      {"sr", "Нпр. Београд, тј. град.| Види стр. 5.| Он зна."},
      {"ru",
       "Он жил в г. Москве до 1799 г.| Это т. е. Хорошо, и т. д. и т. п.| Всё.| См. рис. 3, ул. Ленина."},
      {"uk", "Він жив у м. Київ.| Див. с. 5, напр. Львів.| Вона знає."},
      {"bg", "Г-н Иванов, т.е. Той, напр. София.| Виж стр. 5.| Той знае."},
      {"el", "Τι κάνεις;| Καλά.| Ο κ. Παπαδόπουλος, π.χ. Αθήνα.| Βλ. σελ. 5."},
      {"fi", "Ks. esim. Helsinki, ts. Suomi.| Se maksaa n. 5 euroa.| Hän tuli."},
      {"et", "Nt. Tallinn, s.t. Eesti.| Vt. lk. 5.| Ta tuli."},
      {"hu", "Pl. Budapest, ill. Pécs.| Dr. Kovács itt volt.| Ő jött."},
      {"lt", "Pvz. Vilnius, t. y. Lietuva.| Žr. psl. 5.| Jis atėjo."},
      {"lv", "Piem. Rīga, t. i. Latvija.| Sk. lpp. 5.| Viņš nāca."},
      {"tr", "Prof. Dr. Yılmaz geldi.| Örn. Ankara vb. yerler.| O geldi."},
      {"vi", "Vâng ạ.| Em đi.| TS. Nguyễn ở TP. Hồ Chí Minh."},
      {"id", "Bpk. Joko, a.l. Jakarta, dll.| Dia datang."},
      {"xx", "Mr. Green met Dr. Brown.| They left."},
  });
}

TEST(SentencesTest, ScriptsHaveTheirMarks) {
  expect_split({
      {"zh", "天下雨。|狗在睡觉！|为什么？|价格是3.5元。"},
      {"hi", "यह अच्छा है।|वह आया॥| क्या?"},
      {"ar", "هل أنت هنا؟| نعم.| شكرا!"},
      {"ur", "یہ اچھا ہے۔|وہ آیا۔"},
      {"hy", "Սա տուն է։| Նա այստեղ է:| Այո։"},
      {"am", "ይህ ጥሩ ነው።| እሱ መጣ።"},
      {"my", "ကောင်း၊တယ်။|သွားမယ်။"},
      {"km", "ល្អ។|ល្អ។"},
      {"ko", "비가 온다.| 개가 잔다.| 네.| 왜?| 몰라!"},
      {"ka", "ეს კარგია.| ის წავიდა."},
      {"he", "פרופ. כהן בא.| הוא הלך."},
      {"th", "ฉันไปตลาด พ.ศ. 2550 ดี. ไป"},
  });
}

TEST(SentencesTest, TextsWithoutCapitalLettersHaveSentences) {
  expect_split({
      {"en", "hi there.| how are you?| i am fine!| mr. smith came, e.g. today.| no. 5 is \"it!\" he said."},
  });
  EXPECT_THAT(SentenceSplitter("en")("hi. you"), ElementsAre("hi.", "you"));
}

TEST(SentencesTest, CodesOfLanguagesAreUnderstood) {
  for (const char* code : {"de", "deu", "deu_Latn", "de-AT", "de_XX"}) {
    EXPECT_THAT(SentenceSplitter(code)("Es war usw. Am 111. Kongress. Gut."),
                ElementsAre("Es war usw.", "Am 111. Kongress.", "Gut."))
        << code;
  }
  EXPECT_THAT(SentenceSplitter("en")("The number is 11. Peter left."),
              ElementsAre("The number is 11.", "Peter left."));
}

class AbbreviationsFileTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& content) const {
    std::ofstream(folder_ / "abbreviations") << content;
    return (folder_ / "abbreviations").string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("abbreviations_test_" + std::to_string(::getpid()));
};

TEST_F(AbbreviationsFileTest, AddsAbbreviations) {
  const std::string text = "The Abk. Foo and the Nm. 5 and k. l. Moo. The Nm. Foo.";
  EXPECT_EQ(SentenceSplitter("en")(text).size(), 5U);
  const SentenceSplitter split("en", file("# mine\n\nAbk.\nNm #NUMERIC_ONLY#\r\nk. l # and a comment\n"));
  EXPECT_THAT(split(text), ElementsAre("The Abk. Foo and the Nm. 5 and k. l. Moo.", "The Nm.", "Foo."));
  EXPECT_THAT(split("Mr. Green came. He left."), ElementsAre("Mr. Green came.", "He left."));
}

TEST_F(AbbreviationsFileTest, IsChecked) {
  EXPECT_THAT([&] { SentenceSplitter("en", file("Abk\n #NUMERIC_ONLY#\n")); },
              ThrowsMessage<UsageError>(HasSubstr("line 2: no abbreviation before #NUMERIC_ONLY#")));
  EXPECT_THROW(SentenceSplitter("en", (folder_ / "none").string()), Error);
}

TEST(SentencesTest, TakeLinearTime) {
  const SentenceSplitter split;
  for (const char* part :
       {"a", ".", ". ", "A. ", "1. ", "? ) ", "\"", ".\" ", "a. (", ".[1", "。", ".😀 ", "Ab.\n"}) {
    std::string text;
    while (text.size() < (std::size_t{1} << 18)) text += part;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(split(text).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << part;  // or hours
  }
}

TEST(SentencesTest, CodesOfLanguages) {
  for (const char* code : {"en", "deu", "deu_Latn", "zh-TW", "acq_Arab"})
    EXPECT_TRUE(is_language_code(code)) << code;
  for (const char* code : {"", "english", "x", "12", "acq", "acq_", "model_Latn"})
    EXPECT_FALSE(is_language_code(code)) << code;
}

TEST(SentencesTest, ABlankJoinsWhatIsWrittenWithBlanks) {
  EXPECT_EQ(usual_gap("It rains.", "The dog sleeps."), " ");
  EXPECT_EQ(usual_gap("비가 온다.", "개가 잔다."), " ");
  EXPECT_EQ(usual_gap("天下雨。", "狗在睡觉。"), "");
  EXPECT_EQ(usual_gap("ฝนตก", "หมานอน"), "");
  EXPECT_EQ(usual_gap("", "The dog sleeps."), "");
}

}  // namespace
}  // namespace nmt
