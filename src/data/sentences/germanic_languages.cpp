#include "data/sentences/abbreviations.h"

namespace nmt::sentences {
namespace {

// clang-format off
constexpr LanguageRules kGermanic[] = {
    {.codes = "en",
     .always =
         "Pfc Gov Mr Mrs Ms Mx Messrs Mmes Dr Drs Prof Rev Hon Fr Msgr Gen Maj Capt Cpt Col Cmdr Cdr Lt Sgt Cpl Pvt "
         "Adm Brig Insp Det Supt Ens Sen Sens Rep Reps Govs Pres Amb Atty Assoc Asst Mt Ft Mme Mlle Mgr e.g "
         "i.e eg viz cf vs approx resp incl excl esp a.k.a aka c.f b.k.a f.k.a r.e",
     .usual =
         "Jr Sr Esq Inc Ltd Corp Co Cos Bros Plc LLC LLP Assn Dept Div Univ Inst Acad Ave Blvd Rd Hwy Pkwy Sq "
         "Ln Ct Pl Dist Ste Apt Bldg Ph.D Ph.Ds M.D B.A M.A B.Sc M.Sc LL.B LL.M D.Phil U.S U.S.A U.K U.N E.U "
         "D.C L.A N.Y N.J N.H N.C N.D S.C S.D W.Va R.I Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon "
         "Tue Tues Wed Thu Thur Thurs Fri Ala Ariz Ark Calif Cal Colo Conn Del Fla Ga Ill Ind Kan Kans Ky La "
         "Md Mich Minn Mont Neb Nebr Nev Okla Ore Pa Penn Tenn Tex Va Vt Wis Wisc Wyo Mass Ont Que Alta B.C "
         "A.D B.C.E C.E al ibid op.cit loc.cit ed eds transl trans rev est ext tel max min avg std temp dept "
         "govt natl intl yr yrs hr hrs mo mos wk wks qt oz lb lbs sq cu misc orig abbr assoc ca circa Yahoo! "
         "Jeopardy! St Wash ft",
     .before_number =
         "Nos nos p pp pg pgs vol vols Vol Vols ch chs Ch chap Chap chaps sec secs Sec sect Sect para "
         "paras Para arts Art Arts fig Fig Figs tab Tab eq eqs Eq Eqs Ex pt pts Pt nr Nr ver Ver "
         "vv ll nn fl par pars § §§ Op op K KV BWV Rm Bl Ps Exod Lev Num Deut Matt Rom Cor Gal Eph Phil Heb "
         "Jas ref refs Ref Refs App",
     .before_digit = "No no art figs ex app",
     .of_time =
         "a.m p.m A.M P.M am pm",
     .after_times =
         "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays Thursdays "
         "Fridays Saturdays Sundays Mon Tue Wed Thu Fri Sat Sun Eastern Central Pacific Mountain Atlantic "
         "Greenwich GMT UTC EST EDT CST CDT MST MDT PST PDT ET CT MT PT BST CET CEST IST JST AEST January "
         "February March April May June July August September October November December Jan Feb Mar Apr Jun "
         "Jul Aug Sept Oct Nov Dec London Moscow Beijing Tokyo",
     .openings =
         "The A An This That These Those He She It We They You I There Here His Her Its Our Their Your My In "
         "On At By For From With Without Of To As And But Or Nor So Yet If When While Where Why How What Who "
         "Whose Which After Before Since Until Although Though Because However Moreover Furthermore Therefore "
         "Thus Then Also Meanwhile Nevertheless Nonetheless Still Now Today Yesterday Tomorrow Later Once "
         "Some Many Most Several Few Both Each Every All Another Other Others Such No Not Nobody Nothing "
         "Everyone Everything Someone Something Let Is Are Was Were Do Does Did Has Have Had Can Could Would "
         "Should Instead According Despite During Under Over Between Among Perhaps Maybe Even Only Just "
         "Please Yes Well Finally First Second Next Last Earlier Recently Currently Previously Besides "
         "Unfortunately Fortunately Indeed Otherwise Additionally Similarly Unlike Unless Whether Don't "
         "Didn't Isn't Doesn't Thank Thanks People Nearly Almost About More Less Much Never Always Often "
         "Sometimes Hundreds Thousands Stir Add Mix Pour Serve Combine Bake Preheat Remove"},
    {.codes = "de lb",
     .has_ordinals = true,
     .always =
         "Dr Drs Prof Hr Hrn Fr Frl Dipl Ing Dipl-Ing Dipl-Kfm Mag Bacc Univ-Prof Priv-Doz Doz Gen Oblt Lt "
         "Hptm Maj Kap Kpt Uffz Fw Sr Hl hl Msgr Pfr Präs Vors Abg Kard Ehzg Kfm Frh z.B z.T z.Hd z.Zt z.Z zB "
         "d.h dh u.a u.U u.E i.d.R i.d i.A i.V i.S i.e i.Allg i.W m.E m.W o.g s.o s.u v.a v.l v.r u.z u.zw "
         "a.a.O a.d a.o b.a bzw ggf ggfs evtl sog insb insbes bspw beispielsw vgl zzgl inkl exkl einschl "
         "ausschl abzgl zuzügl entspr betr bezgl bzgl ca cca zw mind max min durchschn geb gest verh gesch "
         "verw gen gegr jew jeweil eigtl urspr ehem vorm vlt vllt gem lt allg altgr griech lat engl frz "
         "franz ital span russ dt amerik österr schweiz südd nordd röm kath ev evang",
     .usual =
         "Co Inc Ltd Corp Cie Gebr Fa Nachf Ges Inst Univ Abt Verw Jan Jän Feb Febr Mär Mrz Apr Jun Jul Aug "
         "Sep Sept Okt Nov Dez Mo Di Mi Do So Sa v.Chr n.Chr v.u.Z n.u.Z Chr Str str Pl pl Ztg Verl Aufl Ausg "
         "Hrsg Hg Red Verf Übers Mitw Mio Mill Mrd Tsd Std Min Sek Stk St u.ä o.ä o.dgl u.dgl dgl u.v.a u.v.m "
         "u.a.m a.D a.M a.Rh i.R i.Br e.V e.G U.S U.S.A B.A M.A M.Sc B.Sc Ph.D tgl mtl jährl wtl verf bes ebd "
         "ff f Anm Anh Bsp Abk Best Bez Bhf Hbf Tel Fax Postf Kl Kto Konf led phil jur rer nat med techn h.c "
         "hc oec theol habil Yahoo!",
     .before_number =
         "Nr Nrn No s p pp Art Artt Abs Bd Bde Bdn Abb Tab Abschn Ziff Ziffer Lit Rn Rdnr Rz Pkt Pos Sp Tl "
         "Anl Bl Fig Gl Jg Jhrg Op Hausnr Par § §§ Vol",
     .endings = "str",
     .openings =
         "Ab Der Die Das Den Dem Des Ein Eine Einen Einem Einer Eines Er Sie Es Wir Ihr Ich Du Dies Diese Dieser "
         "Dieses Diesen Diesem Jene Jener Jenes Im In Am An Auf Aus Bei Beim Mit Nach Seit Von Vom Zu Zum Zur "
         "Für Gegen Ohne Um Unter Über Vor Hinter Zwischen Neben Durch Während Wegen Trotz Statt Und Aber "
         "Oder Denn Doch Sondern Wenn Als Ob Weil Da Dass Obwohl Nachdem Bevor Damit Sobald Falls Wie Was Wer "
         "Wo Wann Warum Weshalb Wieso Welche Welcher Welches So Dann Dort Hier Heute Gestern Morgen Jetzt Nun "
         "Auch Noch Nur Schon Sehr Danach Daher Deshalb Deswegen Dazu Dabei Dadurch Dafür Dagegen Außerdem "
         "Allerdings Jedoch Zudem Zunächst Zuerst Später Schließlich Trotzdem Dennoch Inzwischen Bisher "
         "Bereits Seine Sein Ihre Unsere Unser Mein Meine Kein Keine Man Alle Alles Viele Einige Manche "
         "Mehrere Beide Jeder Jede Jedes Nicht Nichts Niemand Jemand Ist Sind War Waren Hat Haben Hatte Wird "
         "Werden Kann Können Bitte Danke Ja Nein Insgesamt Zwar Laut Erst Sogar Vielleicht Wahrscheinlich "
         "Natürlich Leider Gut"},
    {.codes = "nl af",
     .always =
         "dhr Dhr mevr Mevr mw Mw mej Mej mr Mr mrs dr Dr drs Drs prof Prof ir Ir ing Ing ds Ds pres Pres gen "
         "Gen kol Kol kapt Kapt lt Lt luit sgt Sgt burg Min St Ste Mgr mgr wed weduwe jhr Jhr jkvr bijv bv "
         "d.w.z dwz m.a.w i.p.v ipv i.v.m ivm m.b.t mbt t.a.v tav t.o.v tov t.b.v o.a oa a.u.b n.a.v nav "
         "i.h.b m.n o.l.v i.h i.c t.w t.g.v o.b.v o.i.d m.i m.m d.m.v z.g.n.d zgn vgl resp incl excl ca circa "
         "ong evt nl afd gem mnr Mnr mev Mev bl byvoorbeeld d.w.s",
     .usual =
         "enz etc Jr jr Sr sr Co Inc Ltd Corp Gebr N.V B.V V.S U.S jan feb febr mrt apr jun jul aug sep sept "
         "okt nov dec Jan Feb Mrt Apr Jun Jul Aug Sep Sept Okt Nov Dec v.Chr n.Chr Chr e.d e.a i.d a.s j.l jl "
         "str Str pl Pl ed red vert uitg mln mld tel",
     .before_number =
         "nr Nr nrs Nrs no No blz Blz p pp pag Pag art Art artt hfst Hfst hoofdst par Par fig Fig afb Afb tab "
         "Tab dl Dl bd jrg Jrg vol Vol bijl lid st",
     .endings = "str",
     .openings =
         "De Het Een Hij Zij Ze Wij We Jij Je Ik U Jullie Dit Dat Deze Die Er Daar Hier In Op Aan Bij Met Van "
         "Voor Naar Na Uit Over Onder Tegen Door Om Tot Sinds Tijdens Zonder Volgens En Maar Of Want Dus Als "
         "Toen Omdat Hoewel Terwijl Wat Wie Waar Waarom Wanneer Hoe Welke Ook Nog Nu Vandaag Gisteren Morgen "
         "Dan Daarom Daarna Toch Echter Bovendien Zijn Haar Hun Ons Onze Mijn Geen Niet Alle Alles Veel "
         "Sommige Meer Is Was Heeft Hebben Kan Wel Zo Hulle Sy Dié Hierdie 'n 's "
         "'t 'k 'm"},
    {.codes = "sv",
     .always =
         "dr Dr prof Prof doc hr Hr fr Fr frk ing civ.ing lic kand past St S:t S:ta t.ex ex bl.a f.d f.n s.k "
         "m.a.o d.v.s dvs dv p.g.a pga m.h.t m.a.p f.ö i.st enl resp inkl exkl ev evt ca c:a cirka jfr jmf "
         "urspr sht särsk eg nuv dåv sk ang betr gen kap överste",
     .usual =
         "m.m m.fl osv o.s.v etc jr Jr sr Sr Co Inc Ltd Corp jan feb febr apr aug sep sept okt nov dec f.Kr "
         "e.Kr f.v.t fl f.m e.m fm em o.d o.dyl milj mdr st tr tel red utg övers uppl forts U.S",
     .before_number =
         "nr Nr nos s S sid Sid p pp Kap bd Bd art fig Fig tab Tab kl Kl § vol Vol v max min",
     .openings =
         "Det Den De Dessa Detta Denna Han Hon Vi Ni Du Jag En Ett I På Av Till Från Med För Om Efter Före "
         "Under Över Vid Hos Mellan Utan Genom Enligt Och Men Eller Så När Där Här Då Nu Idag Igår Imorgon "
         "Sedan Också Dock Eftersom Medan Vad Vem Hur Varför Vilken Vilka Alla Allt Många Några Inga Ingen "
         "Inte Hans Hennes Deras Vår Våra Min Mina Sin Är Var Har Hade Kan Ska Man Dessutom Därför Däremot "
         "Samtidigt Trots Bara Redan Sen Därefter Därmed Slutligen Ibland Tack"},
    {.codes = "da no nb nn",
     .has_ordinals = true,
     .always =
         "dr Dr prof Prof hr Hr fr Fr frk Frk ing cand stud lic kapt Kapt gen Gen oberst lt Lt St Sct Skt pst "
         "f.eks feks fx t.eks dvs d.v.s bl.a pga p.g.a m.h.t mht m.a.o ift ifm i.f.t iflg i.h.t mtp vedr ang "
         "s.k såk inkl ekskl evt ev ca cirka jf jfr hhv resp tidl opr egtl nuv sml f.o.m t.o.m fom tom kgl "
         "vha v.h.a",
     .usual =
         "osv o.s.v mv m.v m.m mm etc mfl m.fl jr Jr sr Sr Co Inc Ltd Corp jan feb mar apr jun jul aug sep "
         "sept okt nov dec des f.Kr e.Kr f.v.t Kr o.l o.lign o.lgn lign mio mill mia mrd kr stk tlf red udg "
         "utg overs oppl forts gl ff f.m e.m U.S",
     .before_number =
         "nr Nr s S side p pp kap Kap bd Bd art Art fig Fig tab Tab kl Kl st § pkt Pkt vol Vol litr afs avsn "
         "max min",
     .openings =
         "Det Den De Disse Dette Denne Han Hun Vi I Du Jeg En Et Ei Eg Ho Dei Der Her Da Nå Nu Så På Av Af "
         "Til Fra Med For Om Etter Efter Før Under Over Ved Hos Mellom Mellem Uten Uden Gjennom Gennem Ifølge "
         "Og Men Eller Når Hvis Dersom Fordi Mens Hva Hvad Hvem Hvor Hvordan Hvorfor Hvilken Hvilke Alle Alt "
         "Mange Noen Nogle Ingen Ikke Hans Hendes Hennes Deres Vår Vores Min Mine Sin Er Var Har Hadde Havde "
         "Kan Skal Man Også Dessuten Desuden Derfor Samtidig Trods Bare"},
    {.codes = "is fo",
     .has_ordinals = true,
     .always =
         "dr Dr prof Prof hr Hr frk frú sr Sr séra t.d þ.e þ.e.a.s m.a a.m.k u.þ.b s.s t.a.m sbr skv nk sk "
         "svo.k svok ca fyrrv þáv núv f.h m.t.t tilt",
     .usual =
         "o.fl o.s.frv osfrv o.þ.h e.h jr jan feb mar apr jún júl ágú sep sept okt nóv des f.Kr e.Kr kr millj "
         "tel U.S",
     .before_number =
         "nr Nr bls Bls bl kl Kl gr tbl kafli árg bd",
     .openings =
         "Það Þetta Þessi Hann Hún Þeir Þær Þau Við Þið Þú Ég Í Á Af Frá Með Um Eftir Fyrir Og En Eða Ef "
         "Þegar Þar Hér Nú Svo Ekki Hvað Hver Hvernig Allir Margir Er Var Hafa Samkvæmt Tað Men Eg Ein"},
};
// clang-format on

}  // namespace

std::span<const LanguageRules> germanic_languages() {
  return kGermanic;
}

}  // namespace nmt::sentences
