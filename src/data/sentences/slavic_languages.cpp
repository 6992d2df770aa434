#include "data/sentences/abbreviations.h"

namespace nmt::sentences {
namespace {

// clang-format off
constexpr LanguageRules kSlavic[] = {
    {.codes = "pl",
     .has_ordinals = true,
     .always =
         "dr dra Dr prof Prof hab inż mgr Mgr lic doc lek med adw mec red ks Ks bp Bp abp kard br św Św śp "
         "ś.p bł gen Gen płk ppłk mjr kpt por ppor sierż kmdr adm marsz min prez dyr np Np tzn tzw tj m.in "
         "m.innymi m.st al Al ul Ul os Os pl Pl wg ok ew zw zwł dot t.zw t.j t.zn pt ang niem fr łac ros gr "
         "hiszp wł wlkp woj pow gm p.n dh śred zob ozn odp arch",
     .usual =
         "itd itp i.in in tys mln mld bln zł godz sek jr Jr Inc Ltd Corp Sp z.o.o S.A U.S p.n.e n.e r w ww "
         "wyd tłum oprac tel Tel sty lut mar kwi cze lip sie wrz paź lis gru st str dł szer wys pol ryc cd "
         "cdn j.w ub przyp im",
     .before_number =
         "nr Nr s S Str ss art Art ust Ust pkt Pkt rozdz Rozdz rys Rys tab Tab t T tom vol poz lit par § zał "
         "kl Godz zd zesz km kol",
     .openings =
         "To Ten Ta Te Ci Tamten On Ona Ono Oni One Ja Ty My Wy Jego Jej Ich Jest Są Był Była Było Byli W We "
         "Na Do Z Ze Po Od Przed Za Nad Pod Przez Przy Dla Bez O U I A Ale Lecz Albo Lub Więc Zatem Jednak "
         "Jeśli Jeżeli Gdy Kiedy Gdyby Choć Ponieważ Bo Że Jak Gdzie Co Kto Który Która Które Dlaczego Czy "
         "Ile Nie Tak Już Jeszcze Też Także Również Potem Następnie Teraz Dziś Dzisiaj Wczoraj Jutro Tu Tutaj "
         "Tam Wszyscy Wszystko Wszystkie Wiele Wielu Każdy Każda Inni Nikt Nic Się Moja Mój Nasz Nasza Według "
         "Podczas Mimo Oprócz Ponadto Dlatego Wtedy Być Może Dziękuję"},
    {.codes = "cs sk",
     .has_ordinals = true,
     .always =
         "pí sl pp Ing ing Mgr mgr Bc bc MUDr JUDr PhDr RNDr MVDr PaedDr ThDr ThLic PharmDr Dr dr doc Doc "
         "prof Prof akad gen Gen plk pplk mjr kpt por npor rtm arm min Msgr sv Sv bl fr angl něm lat řec it "
         "franc špan slov nem tzv tzn tj t.j t.zn např Např napr Napr mj m.j resp popř príp event ev vč vrát "
         "vrátane cca ca kol cit srov porov vid dle ul Ul nám Nám nábř ná arch dr.h.c t.č t.r býv zvl zejm zj "
         "o.i i.e",
     .usual =
         "atd apod atp aj a.pod a.i tis mil mld Kč Sk hod sek s.r.o spol a.s k.s v.o.s o.p.s o.s z.s st ml jr "
         "Jr Inc Ltd Corp U.S CSc DrSc Ph.D př.n.l n.l pr.n.l Kr pr.Kr po.Kr př.Kr tel Tel tř vyd přel red "
         "pozn odd rkp úno bře kvě čer srp zář říj lis",
     .before_number =
         "č Č čís čj č.j s S str Str strana odst Odst písm čl Čl kap Kap obr Obr tab Tab roč bod § par pol př "
         "r zák Zák vyhl",
     .openings =
         "To Ten Ta Ti Ty Toto Tento Tato Tyto Toho On Ona Ono Oni Já Ja My Vy Jeho Její Jejich Je Jsou Sú "
         "Byl Bol Byla Bola Bylo Bolo Byli Boli V Ve Vo Na Do Z Ze Zo Po Od Před Pred Za Nad Pod Přes Cez Při "
         "Pri Pro Pre Bez O U S Se So K Ke Ku I A Ale Avšak Nebo Alebo Ani Tak Takže Však Jestliže Pokud Ak "
         "Když Keď Kdyby Keby Ačkoli Hoci Protože Pretože Jak Ako Kde Co Čo Kdo Kto Který Ktorý Která Ktorá "
         "Které Ktoré Proč Prečo Zda Kolik Koľko Ne Nie Ano Áno Už Ještě Ešte Také Tiež Potom Pak Nyní Teraz "
         "Teď Dnes Včera Zítra Zajtra Tady Zde Tu Tam Všichni Všetci Všechno Všetko Všechny Mnoho Mnozí Veľa "
         "Každý Jiní Iní Nikdo Nikto Nic Nič Můj Môj Náš Podle Podľa Během Počas Kromě Okrem Proto Preto "
         "Tehdy Vtedy Děkuji Ďakujem Aby Až"},
    {.codes = "sl",
     .has_ordinals = true,
     .always =
         "g ga gdč gos dr Dr prof Prof doc mag Mag ing inž univ dipl spec akad gen polk sv Sv s.b npr Npr t.i "
         "tj t.j oz ang nem fr lat it prim ok cca pribl gl ul Ul cit vklj mdr min",
     .usual =
         "itd itn ipd idr in.dr tis mio mrd d.o.o d.d s.p jr U.S n.št pr.n.št Kr pr.Kr po.Kr jan feb mar apr "
         "jun jul avg sep sept okt nov dec tel Tel ur sek prev ed",
     .before_number =
         "št Št str Str s čl Čl odst točka pogl sl Sl tab Tab zv let l r §",
     .openings =
         "To Ta Ti Te Tisti On Ona Ono Oni Jaz Mi Vi Njegov Njen Njihov Je So Bil Bila Bilo Bili V Na Do Z S "
         "Iz Po Od Pred Za Nad Pod Čez Pri Brez O K Med In A Ampak Toda Vendar Ali Zato Torej Če Ko Kadar "
         "Čeprav Ker Da Kako Kje Kaj Kdo Kateri Zakaj Koliko Ne Ni Ja Že Še Tudi Potem Nato Zdaj Sedaj Danes "
         "Včeraj Jutri Tu Tukaj Tam Vsi Vse Mnogi Veliko Vsak Drugi Nihče Nič Moj Naš Glede Hvala Seveda"},
    {.codes = "hr bs sr sh cnr",
     .has_ordinals = true,
     .always =
         "gđa gđica gosp dr Dr prof Prof doc mr Mr mag ing inž dipl akad gen puk sv Sv fra npr Npr tj Tj tzv "
         "t.j t.zv odn engl njem lat fr tal ul Ul usp cca ur prim гђа госп др Др проф Проф доц мр инж дипл "
         "акад ген св Св нпр Нпр тј Тј тзв т.ј одн енгл нем лат фр рус ул Ул упор прим",
     .usual =
         "itd i.dr isl i.sl sl tis mil mlrd mln d.o.o d.d a.d jr U.S p.n.e n.e pr.n.e Kr pr.Kr po.Kr pr.Hr "
         "po.Hr siječ velj ožu jan feb mar apr jun jul avg sep sept okt nov dec tel Tel god min sek ed prev "
         "итд и.др сл хиљ мил млрд д.о.о а.д н.е п.н.е пр.н.е јан феб мар апр авг сеп септ окт нов дец тел "
         "Тел год мин сек г",
     .before_number =
         "br Br str Str s čl Čl st toč točka gl Sl tab Tab § бр Бр стр Стр с чл Чл ст тач гл Сл таб",
     .openings =
         "To Taj Ta Te Ti Ovo Ovaj Ova Ovi Ove On Ona Ono Oni One Ja Mi Vi Njegov Njezin Njen Njihov Je Su "
         "Bio Bila Bilo Bili U Na Do Iz S Sa Po Od Pred Prije Pre Za Nad Pod Preko Pri Bez O K Kod Među I A "
         "Ali No Nego Ili Zato Dakle Ako Kad Kada Iako Jer Da Kako Gdje Gde Što Šta Tko Ko Koji Koja Koje "
         "Zašto Koliko Ne Nije Već Još Također Takođe Zatim Potom Sada Danas Jučer Juče Sutra Ovdje Ovde Tamo "
         "Svi Sve Mnogi Mnogo Svaki Drugi Nitko Niko Ništa Moj Naš Prema Tijekom Tokom Nakon Posle Poslije "
         "Hvala То Тај Та Те Ти Ово Овај Ова Ови Ове Он Она Оно Они Оне Ја Ми Ви Његов Њен Њихов Је Су Био "
         "Била Било Били У На До Из С Са По Од Пред Пре За Над Под Преко При Без О К Код Међу И А Али Но Него "
         "Или Зато Дакле Ако Кад Када Иако Јер Да Како Где Шта Што Ко Који Која Које Зашто Колико Не Није Већ "
         "Још Такође Затим Потом Сада Данас Јуче Сутра Овде Тамо Сви Све Многи Много Сваки Други Нико Ништа "
         "Мој Наш Према Током Након После Хвала"},
    {.codes = "ru be",
     .always =
         "гр гр-н гр-ка г-н г-жа г-да тов д-р Д-р проф Проф доц акад канд докт ген полк подп кап лейт серж "
         "адм св Св прот свящ еп архиеп митр ул Ул просп пр-т пр-кт пер пл бул наб ш пос дер обл р-н р-он "
         "респ т.е Т.е т.н т.наз т.к Т.к т.о напр Напр н-р см См ср Ср англ нем фр франц лат греч исп итал яп "
         "кит рус укр ок прибл прим Прим ст.-слав букв соотв зам зав нач гл дир чл чл.-корр рук вкл искл вул "
         "праф гэт",
     .usual =
         "гор Гор т.д т.п др пр тыс млн млрд трлн руб коп долл гг в вв до.н.э н.э р.Х Р.Х янв февр фев мар апр авг "
         "сент окт нояб ноя дек мин сек ч мл тел Тел изд перев ред отв сост авт обр к-т ин-т ун-т б.г б.м о-в "
         "о-ва эт кв корп шт экз чел пп и.о г им",
     .before_number =
         "№ N п П ст Ст с С стр Стр рис Рис табл Табл Гл т Т том кн Кн вып разд Ч д Д оф § л ил абз ур",
     .openings =
         "В Во На И Но А Он Она Оно Они Это Этот Эта Эти Я Мы Вы Ты Его Её Ее Их Мой Моя Наш Наша Как Что Кто "
         "Где Когда Куда Почему Зачем Сколько Какой Какая Какие Который По К Ко С Со У За Из Изо От До Об О "
         "Обо При Про Под Над Перед Для Без Через Между После Среди Если Чтобы Хотя Пока Потому Поэтому Так "
         "Также Тоже Тогда Там Тут Здесь Теперь Сейчас Сегодня Вчера Завтра Потом Затем Однако Впрочем Кроме "
         "Все Всё Весь Вся Всем Каждый Многие Некоторые Другие Никто Ничто Ничего Не Нет Ни Да Или Либо Вот "
         "Был Была Было Были Есть Уже Ещё Еще Только Может Можно Нужно Спасибо Согласно Несмотря Благодаря "
         "Тот Та То Те Такой Дорого Дёшево Дешево Ён Яна Яно Яны Гэта Гэты Ў Але Калі Як Што Дзе Мая"},
    {.codes = "uk",
     .always =
         "р-н г-н г-жа тов д-р Д-р проф Проф доц акад канд ген полк кап лейт св Св вул Вул просп пр-т пров пл "
         "бул наб смт обл респ т.зв т.б напр Напр див Див пор англ нім фр лат грец ісп рос укр бл прибл зам "
         "зав нач дир чл",
     .usual =
         "т.д т.п та.ін ін тис млн млрд трлн грн коп дол рр р ст н.е до.н.е р.Х січ лют бер квіт трав черв "
         "лип серп вер жовт лист груд хв сек год тел Тел вид пер ред ім м",
     .before_number =
         "№ п Ст с С стор рис Рис табл Табл гл розд Розд т Т кн Кн вип ч буд кв §",
     .openings =
         "У В І Й Та Але А Він Вона Воно Вони Це Цей Ця Ці Я Ми Ви Ти Його Її Їх Мій Моя Наш Наша Як Що Хто "
         "Де Коли Куди Чому Навіщо Скільки Який Яка Які На По До З Із За Від Об Про При Під Над Перед Для Без "
         "Через Між Після Серед Якщо Щоб Хоча Поки Тому Так Також Теж Тоді Там Тут Тепер Зараз Сьогодні Вчора "
         "Завтра Потім Проте Однак Крім Усі Всі Все Кожен Багато Деякі Інші Ніхто Ніщо Не Ні Або Чи Ось Був "
         "Була Було Були Є Уже Вже Ще Тільки Може Можна Дякую Згідно Той Те Ті"},
    {.codes = "bg mk",
     .always =
         "г-н г-жа г-ца гн гжа д-р Д-р проф Проф доц акад инж арх ген полк кап лейт св Св ул Ул бул Бул пл гр "
         "Гр кв ж.к обл общ т.е т.н т.нар т.к напр Напр вж Вж срв англ нем фр лат рус зам на.пр",
     .usual =
         "др пр тн и.др и.т.н и.т.нат хил млн млрд лв ст г год гг сл.Хр пр.Хр н.е пр.н.е ян февр апр авг септ "
         "окт ноем дек мин сек тел Тел изд прев ред",
     .before_number =
         "№ бр Бр чл Чл ал Ал т Т стр Стр с фиг Фиг табл Табл гл Гл том кн ч § бл вх ет ап",
     .openings =
         "В Във На И Но А Той Тя То Те Това Този Тази Тези Аз Ние Вие Ти Неговият Нейният Как Какво Кой Коя "
         "Кои Къде Кога Защо Колко По От За До С Със При Под Над Пред Без През Между След Според Ако Когато "
         "Докато Макар Защото Така Също Тогава Там Тук Сега Днес Вчера Утре После Обаче Освен Всички Всичко "
         "Всеки Много Някои Други Никой Нищо Не Няма Има Е Са Беше Бяха Вече Още Само Може Благодаря Тоа Таа "
         "Тие Ова Овој Оваа Јас Тој Што Каде Зошто Во Со Се Од"},
};
// clang-format on

}  // namespace

std::span<const LanguageRules> slavic_languages() {
  return kSlavic;
}

}  // namespace nmt::sentences
