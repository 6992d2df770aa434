#include "data/sentences/abbreviations.h"

namespace nmt::sentences {
namespace {

// clang-format off
constexpr LanguageRules kRomance[] = {
    {.codes = "fr",
     .always =
         "MM Mr Mrs Mme Mmes Mlle Mlles Mgr Me Dr Drs Pr Prof Vve St Ste Sts Stes Gén Gal Col Cdt Cne Cap Lt "
         "Sgt Adj Amb Min R.P P.S c.-à-d c.à.d càd p.ex ex cf i.e e.g env vs ca resp incl excl spéc dir ill "
         "préf trad adapt réal av apr anc",
     .usual =
         "Jr jr Sr Cie Sté Éts Ets Inc Ltd Corp S.A S.A.R.L S.A.S U.S U.S.A O.N.U U.E av.J.-C apr.J.-C J.-C "
         "J.C janv févr fév avr juill juil oct nov déc Janv Févr Juil Sept Oct Nov Déc boul bd Bd Blvd Av ch "
         "pl Pl rte Rte fg Fg tél Tél éd Éd coll suiv sq al ibid op.cit loc.cit id n.b N.B s.d s.l h.c R.-V "
         "hab",
     .before_number =
         "no No nos n nᵒ p pp P pag fig Fig figs tab Tab art Art arts chap Chap t T vol Vol vols tom ann Ann "
         "par § §§ éq réf Réf sect Sect liv ligne v f fol ff ms sept",
     .openings =
         "Le La Les L' Un Une Des Du De Ce Cet Cette Ces C' Il Elle Ils Elles On Nous Vous Je J' Tu Ça Cela "
         "Ceci Son Sa Ses Leur Leurs Notre Nos Votre Vos Mon Ma Mes Ton Ta Tes En Dans À A Au Aux Par Pour "
         "Avec Sans Sous Sur Entre Chez Vers Depuis Pendant Durant Après Avant Selon Malgré Contre Et Mais Ou "
         "Où Or Donc Car Ni Si Quand Lorsque Lorsqu' Comme Puisque Quoique Bien Qui Que Qu' Quoi Quel Quelle "
         "Quels Quelles Comment Pourquoi Combien Puis Ensuite Alors Ainsi Aussi Enfin Cependant Toutefois "
         "Néanmoins Pourtant Aujourd'hui Hier Demain Maintenant Ici Là Tout Toute Tous Toutes Plusieurs "
         "Certains Certaines Chaque Aucun Aucune Rien Personne Ne N' Pas Plus Très Est D' S' Y Oui Non Merci "
         "Voici Voilà D'abord Jusqu' Parce Peut Ceux Celui Celle"},
    {.codes = "es gl ast",
     .always =
         "Sr Sra Srta Sres Sras Dª Dña Dn Dr Dra Dres Dras Prof Profa Lic Lcdo Lcda Ing Arq Abog Ilmo Ilma "
         "Excmo Excma Mons Fr Pbro Rvdo Rvda Hno Hna Sto Sta Gral Cnel Tte Cap Sgto Cdte Alte Pdte Pdta Dip "
         "Sen Mtro Mtra Ud Uds Vd Vds p.ej ej p.e i.e e.g cf cfr vs aprox ca resp incl v.gr v.g",
     .usual =
         "Jr jr Cía Cia Inc Ltd Ltda Corp Hnos S.A S.L S.A.S EE.UU EE UU U.S U.E a.C d.C a.de.C d.de.C J.C "
         "AA.VV ene feb abr may jun jul ago sept sep oct nov dic Ene Feb Abr Ago Sept Oct Nov Dic lun mié jue "
         "vie Avda Av Avd avda C/ Pza Pl Pº Ctra ctra Urb Dpto dpto Depto depto tel Tel Tfno tfno ed Ed edic "
         "eds coord trad al ibid op.cit loc.cit id a.m p.m m.n s.n.m izq dcha esq adm admón gob Gob Univ máx "
         "mín",
     .before_number =
         "No no Nº N n nro Nro núm Núm núms n.º p P pp pág Pág págs Págs fig Fig figs tab Tab art Art arts "
         "Arts cap caps vol Vol vols t T sec Sec secc párr inc apdo Apdo ap ref Ref km § v c l s f fol",
     .openings =
         "El La Los Las Lo Un Una Unos Unas Este Esta Esto Estos Estas Ese Esa Eso Esos Esas Aquel Aquella "
         "Aquello Él Ella Ellos Ellas Yo Tú Usted Ustedes Nosotros Su Sus Mi Mis Tu Nuestro Nuestra En De Del "
         "Al A Con Sin Por Para Sobre Entre Desde Hasta Hacia Según Durante Ante Tras Contra Bajo Y E Pero O "
         "U Ni Si Sino Aunque Porque Cuando Mientras Como Donde Qué Quién Cuál Cómo Cuándo Dónde Cuánto "
         "Cuántos Que Quien Quienes Cual No Sí Ya También Tampoco Además Luego Después Antes Entonces Así "
         "Ahora Hoy Ayer Mañana Aquí Allí Ahí Todo Toda Todos Todas Muchos Muchas Algunos Algunas Cada Otro "
         "Otra Otros Otras Nada Nadie Se Le Les Me Te Nos Es Son Era Fue Hay Ha Han Había Está Están Más Muy "
         "Tan Solo Sólo Quizás Gracias Finalmente Os As Um Unha Eu Ela"},
    {.codes = "ca",
     .always =
         "Sr Sra Sres Srs Srta Dr Dra Drs Prof Excm Excma Il·lm Il·lma Mn Rvd Gral Cap Sgt St Sta p.ex ex i.e "
         "e.g cf aprox ca vs resp incl",
     .usual =
         "Jr Cia S.A S.L EUA EE.UU U.E a.C d.C aC dC gen febr feb abr jul ag oct nov des Av Avda av Pl Pça "
         "Ctra tel Tel ed al ibid op.cit admin dept Dept Univ",
     .before_number =
         "núm Núm n no p pp pàg Pàg pàgs fig Fig tab art Art arts cap vol Vol t § v",
     .openings =
         "El La Els Les L' Un Una Uns Unes Aquest Aquesta Aquests Aquestes Això Aquell Aquella Ell Ella Ells "
         "Elles Jo Tu Vostè Nosaltres Seu Seva En De Del Dels Al Als A Amb Sense Per Sobre Entre Des Fins "
         "Segons Durant I Però O Ni Si Encara Perquè Quan Mentre Com On Què Qui Quin Quina Quant No Sí Ja "
         "També Tampoc Després Abans Llavors Així Ara Avui Ahir Demà Aquí Tot Tota Tots Totes Molts Alguns "
         "Cada Altres Es S' Hi N' D' Ha Han És Són Era Va Van Més Molt Gràcies"},
    {.codes = "it",
     .always =
         "Sig Sigg Sig.ra Sig.na Sigra sig sigg sig.ra dott Dott dott.ssa Dott.ssa Dr dr Dr.ssa prof Prof "
         "proff Proff Prof.ssa prof.ssa avv Avv ing Ing arch Arch geom Geom rag Rag on On sen Sen min Min "
         "pres Pres cav Cav comm Comm gen Gen col Col cap Cap magg Magg ten Ten serg mons Mons rev Rev don "
         "mag SS Ss p.es es ad.es p.e i.e e.g cfr Cfr cf vs ca circa spett Spett egr Egr gent Gent ill Ill "
         "preg incl escl resp c.d cd cosidd",
     .usual =
         "Jr jr F.lli Inc Ltd Corp S.p.A S.r.l s.p.a s.r.l S.A U.S U.S.A U.E a.C d.C C genn feb febb apr giu "
         "lug ago sett set ott nov dic Feb Apr Lug Ago Sett Ott Nov Dic lun mart merc giov ven sab dom tel "
         "Tel ed Ed edd trad al ibid op.cit loc.cit ss seg segg max univ Univ str P.zza p.zza V.le v.le C.so "
         "c.so n.b N.B a.m p.m abbr u.s",
     .before_number =
         "n N nn no nr p P pp pag Pag pagg Pagg fig Fig figg tab Tab art Art artt Artt Capp capp vol Vol voll "
         "par Par sez Sez all All lett c co cpv v t T § km",
     .openings =
         "Il Lo La I Gli Le L' Un Uno Una Un' Questo Questa Questi Queste Quest' Quello Quella Quelli Quelle "
         "Quell' Egli Lui Lei Loro Essi Io Tu Noi Voi Suo Sua Suoi Sue Mio Mia Nostro Nostra In Nel Nella "
         "Nello Nell' Nei Negli Nelle Di Del Della Dell' Dei A Al Alla All' Ai Da Dal Dalla Dall' Con Su Sul "
         "Sulla Per Tra Fra Senza Secondo Durante Dopo Prima E Ed Ma O Né Se Anche Perché Quando Mentre Come "
         "Dove Dov' Chi Che Cosa Quale Quali Quanto Quanti Non No Sì Già Poi Allora Così Ora Oggi Ieri Domani "
         "Qui Qua Lì Là Inoltre Infatti Tuttavia Però Quindi Dunque Infine Tutto Tutti Tutte Molti Molte "
         "Alcuni Alcune Ogni Altri Altre Nessuno Niente Nulla Si È Sono Era C' Ha Hanno Più Molto Forse "
         "Grazie Ci Nonostante"},
    {.codes = "pt",
     .always =
         "Sr Sra Srs Sras Srta Sr.ª Dr Dra Drs Dras Prof Profa Profs Eng Arq Adv Exmo Exma Ilmo Ilma Mons Fr "
         "Frei Pe Rev Dom Gen Cel Cap Ten Sgto Sarg Alm Brig Maj Min Pres Gov Dep Ver Sen Sto Sta V.Exa "
         "V.Ex.ª p.ex ex i.e e.g cf cfr vs aprox ca resp incl Ema Emb Cônj",
     .usual =
         "Jr jr Cia Ltda Inc Ltd Corp S.A S/A EUA E.U.A U.S U.E a.C d.C jan fev abr mai jun jul ago set out "
         "nov dez Jan Fev Mar Abr Mai Jun Jul Ago Set Out Nov Dez sáb Av av Pç Pça Lgo Trav Rod Al Est tel "
         "Tel ed Ed eds org Org orgs coord trad al ibid op.cit loc.cit id Univ Depto depto dept máx mín obs "
         "Obs a.m p.m hab N.B n.b esq dir",
     .before_number =
         "no No nº n N n.º núm p P pp pág Pág págs Págs fig Fig figs tab Tab art Art arts Arts cap caps vol "
         "Vol vols t T séc Séc sécs inc par § §§ ref Ref km l v c fl fls f lote",
     .openings =
         "O A Os As Um Uma Uns Umas Este Esta Estes Estas Isto Esse Essa Esses Essas Isso Aquele Aquela "
         "Aquilo Ele Ela Eles Elas Eu Tu Você Vocês Nós Seu Sua Seus Suas Meu Minha Nosso Nossa Em No Na Nos "
         "Nas De Do Da Dos Das Ao À Aos Às Com Sem Por Pelo Pela Para Sobre Entre Desde Até Segundo Durante "
         "Após Antes Depois Contra E Mas Ou Nem Se Embora Porque Quando Enquanto Como Onde Que Quem Qual "
         "Quais Quanto Quantos Não Sim Já Também Além Então Assim Agora Hoje Ontem Amanhã Aqui Ali Lá Ainda "
         "Porém Contudo Entretanto Todavia Portanto Finalmente Tudo Todo Toda Todos Todas Muitos Muitas "
         "Alguns Algumas Cada Outro Outra Outros Outras Nada Ninguém É São Era Foi Há Tem Está Estão Mais "
         "Muito Só Apenas Talvez Obrigado Num Numa Nesta Neste Nessa Nesse"},
    {.codes = "ro mo",
     .always =
         "dl Dl d-l d-na dna Dna d-nei d-lui dr Dr prof Prof ing Ing arh av conf acad gen Gen col Col cpt lt "
         "mr slt Sf Sfântul Pr Pf Mons Preot Ș.L de.ex ex d.ex i.e e.g cf vs aprox ca resp incl adj",
     .usual =
         "ș.a ş.a ș.a.m.d ş.a.m.d ș.cl Jr Inc Ltd Corp S.A S.R.L S.U.A U.S U.E î.Hr d.Hr î.e.n e.n Hr ian feb "
         "apr iun iul aug sept oct nov dec Ian Feb Apr Iun Iul Aug Sept Oct Noi Dec str Str bd Bd Bdul bl sc "
         "et ap Șos jud Jud com mun tel Tel ed Ed trad al ibid op.cit univ Univ mil mld max min P.S",
     .before_number =
         "nr Nr n no p pp pag Pag pg fig Fig tab art Art alin Alin lit cap Cap vol Vol t sec § pct v",
     .openings =
         "Un O Unii Unele Acest Această Acesta Aceasta Acești Aceste Acestea Acel Acea El Ea Ei Ele Eu Tu Noi "
         "Voi Dumneavoastră În Într-un Într-o La De Din Cu Fără Pe Pentru Prin Sub Peste Între După Înainte "
         "Despre Până Către Conform Potrivit Și Dar Sau Ori Nici Dacă Deși Când Cum Unde Ce Cine Care Cât "
         "Câți Câte Nu Da Mai Tot Toate Toți Mulți Multe Fiecare Alte Alți Nimeni Nimic Se S-a S Este Sunt "
         "Era A Au Am Ar Va Vor Astfel Apoi Atunci Acum Azi Astăzi Ieri Mâine Aici Acolo Totuși Însă Așa "
         "Foarte Poate Mulțumesc"},
};
// clang-format on

}  // namespace

std::span<const LanguageRules> romance_languages() {
  return kRomance;
}

}  // namespace nmt::sentences
