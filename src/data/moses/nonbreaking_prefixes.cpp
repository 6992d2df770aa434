#include "data/moses/nonbreaking_prefixes.h"

#include <algorithm>
#include <array>
#include <map>

namespace nmt {
namespace {

constexpr std::string_view kLatin = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z";
constexpr std::string_view kSmallLatin = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
constexpr std::string_view kCyrillic = "А Б В Г Д Е Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ъ Ы Ь Э Ю Я";
constexpr std::string_view kGreek = "Α Β Γ Δ Ε Ζ Η Θ Ι Κ Λ Μ Ν Ξ Ο Π Ρ Σ Τ Υ Φ Χ Ψ Ω";
constexpr std::string_view kRomanNumerals =
    "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX i ii iii iv v vi vii viii ix x "
    "xi "
    "xii xiii xiv xv xvi xvii xviii xix xx";

/// The tables of a language: words separated by spaces.
struct Language {
  std::string_view code;
  std::array<std::string_view, 4> always = {};
  std::string_view before_numbers = {};
  int last_ordinal = 0;  // numbers from 1 to this one keep their periods
};

constexpr std::array kLanguages = {
    Language{"en",
             {kLatin,
              "v Mr Mrs Ms Mme Mlle MM Messrs Msgr Dr Drs DR Prof Ph Rev Hon St Sr Gen Col Lt Maj Capt Cmdr "
              "Comdr Sgt Sfc "
              "Cpl Pvt Pfc Adm Brig Ens Insp Supt Gov Sen Sens Rep Reps Asst Adj Bros Corp Bldg Rt Hosp Op "
              "Ord Res Con "
              "Adv Bart Hr MR MRS MS vs i.e e.g rev Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec"},
             "No Art pp"},
    Language{"de",
             {kLatin, kRomanNumerals, kSmallLatin,
              "Adj Adm Adv Art Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Ens Gen Gov "
              "Hon Hosp Insp "
              "Lt Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Res Rev Rt Sen Sgt St Nr bzw "
              "bzgl ca d.h "
              "evtl ggf jun Mio Mrd o.ä sen sog sogen spp u.a u.ä u.U u.s.w usw usf vgl vs z.B z.T z.Zt Std "
              "Chr ff etc"},
             "",
             99},
    Language{"fr",
             {kLatin, kSmallLatin,
              "M MM apr av ann art cf chap dir éd env etc ex fasc fig hab ibid id i.e loc.cit masc p.ex pl "
              "pp suiv sup "
              "suppl tél vol vs"}},
    Language{"es",
             {kLatin,
              "D Sr Sra Srta Da Dn Dr Dra Prof Lic Gral Sto Sta Excmo Ud Uds Vd Vds Av Apdo Bco EE.UU FF.CC "
              "S.A admón c.f "
              "cap ej etc núm pág págs p.ej vol"}},
    Language{"it",
             {kLatin,
              "P v Sig Sigg Dott Dr Prof Avv Arch Ing Geom Rag Mons Gen Col Egr Spett Sr St Mr Mrs Ms a.c "
              "c.a c.m ecc es "
              "gg i.e int lett p.es p.v pp seg tel vs Adj Adm Adv Amn Asst Bart Bldg Brig Bros Capt Cmdr "
              "Comdr Con Corp "
              "Cpl DR Ens Gov Hon Hosp Hr Insp Lt MM MR MRS MS Maj Messrs Mlle Mme Msgr Op Ord Pfc Ph Pvt "
              "Rep Reps Res "
              "Rev Rt Sen Sens Sfc Sgt Supt Surg"},
             "No Art pp"},
    Language{"pt",
             {kLatin, kRomanNumerals, kSmallLatin,
              "Sr Sra Srs Sras Dr Dra Drs Dras Prof Eng Enga Adv Exmo Gen Sgt Maj Sto Mrs Ms Msgr adj adm "
              "art ex fig i.e "
              "Lda op Sen vs Capt Cmdr Col Con Corp Cpl DR Hosp Insp MM Op Ord Pfc Ph Pvt Reps Res Rev Rt "
              "Sens Sfc Supt "
              "Surg"},
             "No Art p pp"},
    Language{"nl",
             {kLatin,
              "bacc bc bgen c.i dhr dr dr.h.c drs ds eint fa Fa fam gen genm ing ir jhr jkvr jr kand kol "
              "lgen lkol Lt maj "
              "Mej mevr Mme mr o.b.s plv prof ritm tint Vz Z.D Z.D.H Z.E Z.Em Z.H Z.K.H Z.K.M Z.M z.v a.g.v "
              "bijv bijz bv "
              "d.w.z i.p.v i.v.m m.b.t m.i.v nrs"},
             "Nr nr"},
    Language{"pl",
             {kLatin,
              "Ć Ś Ź Ż al ang art bł bp bm bryt cd cdn czyt dcn dh dł doc dr dyr egz ekon fot fr gat gen "
              "godz gosp gr gm "
              "hab hist hr im in inż kard kl kol kpt ks lek łac m.in mec med mgr nadkom niem np pl płk "
              "podkom por pow poz "
              "prof przyp red rys sp św śp szer tel tj tow tzn tzw ub ul ur woj zach zał zast zdr zm zob Dr "
              "Prof Mgr Inż "
              "Ks Św Gen Płk"},
             "nr Nr pkt str tab Tab ust par r l"},
    Language{"ru",
             {kCyrillic, kLatin,
              "в г д е и к л м н о п р с т х ч э др пр проф гг вв руб коп тыс млн млрд чел шт см стр гл ст "
              "ул пер просп "
              "пл наб кв обл св ред тел исп физ ок мин макс нач гос зам кап"}},
    Language{"cs",
             {"p č s Bc BcA Ing Ing.arch MUDr MVDr MgA Mgr JUDr PhDr RNDr PharmDr ThLic ThDr Ph.D Th.D prof "
              "doc CSc DrSc "
              "Dr PaedDr DiS sl čj čp fol hl kol kr lok např násl odd okr pl pol popř pozn red resp roč srov "
              "st stol sv "
              "tab tř tis tj tzn tzv vč vyd ad apod atd atp aj ap b.r cca ev gen mj mld nr obr"}},
    Language{"sk",
             {kLatin,
              "č Bc Mgr RNDr PharmDr PhDr JUDr PaedDr ThDr Ing MUDr MDDr MVDr Dr ThLic PhD ArtD prof sl atď "
              "pod apod napr "
              "tzn tzv resp str roč ods písm par zák ust obr ul tel min max mil mld príp porov ev gen kpt "
              "por sv st star "
              "ml zr zn spol akc fa záp vých sev juž"}},
    Language{
        "sl",
        {kLatin, "dr Dr ing dipl itd itn npr tj oz op gl prim jan feb mar apr jun jul avg sept okt nov dec"},
        "št Št"},
    Language{"sv",
             {kLatin,
              "Å Ä Ö AB VG dvs etc from iaf jfr kl kr mao mfl mm osv pga tex tom vs d.v.s fr.o.m m.a.o m.fl "
              "m.m o.s.v okt "
              "p.g.a t.ex t.o.m"}},
    Language{
        "fi",
        {kLatin,
         "Å Ä Ö l t v alik alil amir apul apul.prof arkkit ass assist dipl dipl.arkkit dipl.ekon dipl.ins "
         "dipl.kielenk fil huom jatk kapt kers luutn maist maj mm nk nyk prof puh.joht siht toht toim tuom "
         "yliopp "
         "ylil esim"}},
    Language{"et", {kLatin, "Ä Ö prof par"}},
    Language{"hu",
             {kLatin, "Á É Í Ó Ö Ő Ú Ü Ű dr Dr prof Prof kb ca pl vö ún min max Szt"},
             "jan márc ápr máj jún júl aug szept okt nov dec Jan Márc Ápr Máj Jún Júl Aug Szept Okt Nov Dec "
             "tel Tel"},
    Language{"ro", {kLatin, "dpdv etc șamd M.Ap.N dl Dl d-na D-na"}},
    Language{"lv", {kLatin, "Ā Č Ē Ģ Ī Ķ Ļ Ņ Š Ū Ž dr Dr prof Prof akad inž sk"}, "Nr"},
    Language{"lt",
             {kLatin,
              "Č Š Ū Ž a b d e g k l m p r š v dr Dr prof Prof doc habil akad inž gyd a.k aut adv al apyg "
              "apskr asist "
              "asmv atsak bkl bt buv dab dail dek dirig dėst dir el filol fiz gen geogr gerb gr gv isp it "
              "kand kat kn kt "
              "kun kl kpt kr k.a l.e.p lot mėn mgr mjr mln mlrd mokyt mot mst muz nkt ntk pav pan pavad pvz "
              "pirm pl plg "
              "plk pr pr.Kr red rš sav saviv sen sekr skg skyr sk sp st str stud sąs t.t t.y tech tel tir "
              "tūkst up vad "
              "ved vyr vid vs žml žr gim"},
             "No"},
    Language{"el",
             {kGreek,
              "δ θ κ σ τ φ αγγλ αι αμ αρ αρχ βλ γαλλ γεν γερμ γρ δηλ δισ δολ δρχ εκ εκατ εκδ ελλ επ επιμ εφ "
              "ιταλ κ.ά κ.α "
              "κ.λπ κ.ο.κ κ.τ.λ κα κεφ κλπ κτλ κυρ λ.χ λατ μ.μ π.μ π.Χ μετ μτφρ ολλ παρ πβ περ π.χ ποσ σελ "
              "σημ στ συμπλ "
              "συν συντ τ.μ φρ χιλ χλμ Δρ Κος Πρ"}},
    Language{"ca", {kLatin, "n p Dr Dra Sr Sra Prof St Sta Excma pl núm pàg ed tel aprox ca i.e"}},
    Language{"is",
             {kLatin, kSmallLatin,
              "æ á í ó s v afs alm ath aths atr dr eink et f.Kr fél fh fl frh hdr hr kap kl klst km kr lh "
              "m.fl mgr millj "
              "nk núv o.fl o.s.frv sbr sek sk skv sl stk tbl uppl útg þgf þm"},
             "no No nr Nr nR NR"},
    Language{"ga", {kLatin, "Á É Í Ó Ú Dr Co cf"}, "lch uimh"},
    Language{"zh", {kLatin}, "No Nr"},
    Language{"yue", {kLatin}, "No Nr"},
};

void add_words(std::set<std::string, std::less<>>& set, std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (!word.empty()) set.emplace(word);
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
}

}  // namespace

const NonbreakingPrefixes& NonbreakingPrefixes::of(std::string_view language) {
  static const std::map<std::string_view, NonbreakingPrefixes> all = [] {
    std::map<std::string_view, NonbreakingPrefixes> by_code;
    for (const Language& each : kLanguages) {
      NonbreakingPrefixes& prefixes = by_code[each.code];
      for (const std::string_view words : each.always) add_words(prefixes.always_, words);
      add_words(prefixes.before_numbers_, each.before_numbers);
      for (int number = 1; number <= each.last_ordinal; ++number)
        prefixes.always_.insert(std::to_string(number));
    }
    return by_code;
  }();
  const auto found = all.find(language);
  return found == all.end() ? all.at("en") : found->second;
}

}  // namespace nmt
