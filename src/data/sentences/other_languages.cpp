#include "data/sentences/abbreviations.h"

namespace nmt::sentences {
namespace {

// clang-format off
constexpr LanguageRules kOther[] = {
    {.codes = "el",
     .always =
         "κα κκ Κα Κος κος δις Δις δρ Δρ Δρα καθ Καθ π.χ Π.χ πχ δηλ Δηλ βλ Βλ πρβλ λ.χ τ.μ ο.π Αγ αγ Στρ στρ "
         "Λεωφ λεωφ συν αγγλ γαλλ γερμ λατ ιταλ ελλ περ υποψ πρωθ υπ τ.έ επιμ μτφρ εκδ",
     .usual =
         "κ.λπ κ.ά κ.α κλπ κ.ο.κ κτλ κ.τ.λ κ.τ.ό μ.Χ π.Χ μ.μ π.μ Α.Ε Ε.Π.Ε Ο.Ε Η.Π.Α Ε.Ε Ιαν Φεβ Μαρ Απρ Μαΐ "
         "Ιουν Ιουλ Αυγ Σεπ Σεπτ Οκτ Νοε Νοεμ Δεκ εκ εκατ δισ χιλ ευρ τηλ Τηλ",
     .before_number =
         "αρ Αρ αριθ Αριθ σ σσ σελ Σελ άρθρ Άρθρ παρ Παρ κεφ Κεφ εικ Εικ πίν τ τόμ τεύχ στ §",
     .openings =
         "Ο Η Το Οι Τα Τον Την Του Της Των Τους Τις Ένας Μια Μία Ένα Αυτός Αυτή Αυτό Αυτοί Αυτές Αυτά Εκείνος "
         "Εγώ Εσύ Εμείς Εσείς Στο Στη Στην Στον Στους Στις Στα Σε Από Με Για Κατά Μετά Πριν Χωρίς Προς Παρά "
         "Ως Και Κι Αλλά Ή Όμως Αν Εάν Όταν Ενώ Επειδή Αφού Όπως Που Πού Πώς Τι Ποιος Ποια Ποιο Γιατί Πόσο "
         "Πότε Δεν Μην Όχι Ναι Θα Να Είναι Ήταν Έχει Είχε Επίσης Ακόμη Ακόμα Έτσι Τότε Τώρα Σήμερα Χθες Αύριο "
         "Εδώ Εκεί Όλοι Όλα Όλες Πολλοί Πολλές Κάθε Κάποιος Κάποιοι Άλλοι Κανείς Τίποτα Μόνο Ωστόσο Επιπλέον "
         "Σύμφωνα Ίσως Ευχαριστώ"},
    {.codes = "fi",
     .has_ordinals = true,
     .always =
         "hra Hra rva Rva nti Nti tri Tri toht prof Prof dos maist dipl.ins ins pres kenr ev ltn kapt maj "
         "esim Esim ts mm nk ns ks vrt myöh aik ent nyk synt po lat engl saks ruots ransk ven ko em s.o t.s "
         "huom Pyh St ao",
     .usual =
         "jne yms ym ynm tms jms eKr jKr eaa jaa eAA jAA Oy Oyj milj mrd mmk min sek jr Inc Ltd Corp U.S puh "
         "julk",
     .before_number =
         "nro Nro n:o s S ss klo Klo taul § mom art vol nr",
     .openings =
         "Se Ne Hän He Minä Sinä Me Te Tämä Tuo Nämä Nuo Tässä Tästä Tätä Siinä Siitä Sitä Sen Niiden Hänen "
         "Heidän Minun Meidän On Ovat Oli Olivat Ei Eivät En Emme Ja Mutta Tai Eli Vaan Sekä Jos Kun Koska "
         "Vaikka Että Jotta Kuin Kuka Mikä Mitä Missä Mistä Mihin Miksi Miten Milloin Kuinka Montako Joka "
         "Jotka Myös Kuitenkin Siksi Sitten Nyt Tänään Eilen Huomenna Täällä Siellä Tällä Lisäksi Kaikki "
         "Monet Moni Jokainen Toiset Kukaan Mikään Vain Jo Vielä Noin Ennen Jälkeen Vuonna Aluksi Lopuksi "
         "Ehkä Kiitos Kyllä"},
    {.codes = "et",
     .has_ordinals = true,
     .always =
         "hr Hr pr Pr prl dr Dr prof Prof dots mag kpt kol ltn ins näit nt Nt st s.t vt Vt vrd ca u umb sh "
         "s.h nn n.ö nö k.a lüh lad ingl sks e.k sünd surn Püha",
     .usual =
         "jne jms jm jmt jt vms e.m.a m.a.j eKr pKr e.Kr p.Kr tuh mln mld min sek jr Inc Ltd U.S tel Tel tn "
         "mnt pst jaan veebr apr aug sept okt nov dets",
     .before_number =
         "nr Nr lk Lk lg joon tab kd ptk p § art",
     .openings =
         "See Need Ta Tema Nad Nemad Ma Mina Sa Sina Me Meie Te Teie Too Selle Selles Sellest Seda On Oli "
         "Olid Ei Ja Aga Kuid Või Ent Sest Kui Et Kuna Kuigi Kes Mis Mida Kus Kuhu Kust Miks Kuidas Millal "
         "Mitu Ka Samuti Siiski Seega Siis Nüüd Täna Eile Homme Siin Seal Lisaks Kõik Paljud Iga Teised Keegi "
         "Miski Ainult Juba Veel Enne Pärast Aastal Esmalt Lõpuks Võib-olla Aitäh Jah"},
    {.codes = "hu",
     .has_ordinals = true,
     .always =
         "dr Dr prof Prof ifj Ifj id özv Özv ún Ún pl Pl ill vmint kb Kb cca ld Ld vö Vö szül Szt ang ném fr "
         "lat or gör ford szerk gr br bp ezr alez őrgy szds hdgy fhdgy mgr Msgr",
     .usual =
         "stb Stb uo i.m i.e i.sz Kr Kr.e Kr.u Kft kft Zrt Nyrt Rt Bt Inc Ltd Corp U.S krt fszt ker mrd jan "
         "febr márc ápr máj jún júl aug szept okt nov dec tel Tel ua mp",
     .before_number =
         "o old Old lásd tábl köt évf bek § vol",
     .openings =
         "A Az Egy Ez Ezek Azok Ő Ők Én Te Mi Ti Ön Önök Ennek Annak Ebben Abban Erre Arra Ezt Azt Ezzel "
         "Azzal És De Vagy Hanem Mert Ha Amikor Mikor Míg Bár Habár Mivel Hogy Ki Mit Hol Hová Honnan Miért "
         "Hogyan Mennyi Hány Melyik Aki Ami Amely Is Szintén Azonban Ezért Tehát Így Úgy Akkor Most Ma Tegnap "
         "Holnap Itt Ott Minden Mindenki Sok Sokan Néhány Mások Senki Semmi Csak Már Még Nem Igen Van Volt "
         "Voltak Lesz Lehet Továbbá Ugyanakkor Végül Először Később Talán Köszönöm Szerintem "
         "Utána Aztán Azután Majd Ezután"},
    {.codes = "tr az",
     .has_ordinals = true,
     .always =
         "Dr dr Prof prof Doç doç Yrd Yard Av av Sn sn Bn Hz Uzm Öğr Gör Arş Müh Mim Ecz Op Alb Yzb Tğm Gen "
         "Org Korg Tümg Tuğg Yb Bnb Bçvş Çvş Onb Mah mah Bşk St bkz Bkz krş Krş örn Örn ör Ör yak çev ed Ing "
         "İng Fr Alm Ar Far Lat Rus yay İst Mrs Mr c s.a.v a.s r.a məs Məs akad b.k",
     .usual =
         "vb vs vd v.b v.s v.d Ltd Şti A.Ş Inc Corp Jr M.Ö M.S T.C A.B.D U.S Cad cad Sok sok Sk Cd Bulv Bul "
         "Apt Tel tel Fak Üniv Ens Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara dk sa yy mln mlrd və.s "
         "v.b.k",
     .before_number =
         "No no Nr s S sf Sf sh syf Mad mad md Md bl Bl Böl fık Kat D Blok C say şek Şek tab Tab m",
     .openings =
         "Bu Şu O Bunlar Şunlar Onlar Ben Sen Biz Siz Bir Onun Bunun Onu Bunu Ona Buna Ve Ama Fakat Ancak "
         "Veya Ya Çünkü Eğer Ne Nerede Nereye Neden Niçin Nasıl Kim Kimin Kaç Hangi Hem Ayrıca Böylece Sonra "
         "Daha Önce Şimdi Bugün Dün Yarın Burada Orada Her Herkes Bütün Tüm Birçok Bazı Diğer Hiç Hiçbir "
         "Değil Evet Hayır Çok En Sadece Belki Teşekkürler Öte Göre Böyle Öyle İlk Son İki Üç Mən Sən Və Amma "
         "Lakin"},
    {.codes = "lt",
     .always =
         "pp dr Dr prof Prof doc Doc habil akad inž gen plk mjr kpt ltn kun vysk kard šv Šv pvz Pvz t.y pan "
         "plg žr Žr vad vadin angl vok pranc lot lenk liet gr ok apyt pav vid maks min gatv pr vyr jaun dir "
         "pirm pavad",
     .usual =
         "ir.t.t ir.pan t.t kt ir.kt tūkst mln mlrd Lt ct Eur eur jr Jr U.S pr.m.e m.e m e mėn d val sek saus "
         "vas kov bal geg birž liep rugp rugs spal lapkr gruod tel Tel aut red vert leid r raj apskr",
     .before_number =
         "Nr nr psl Psl p str Str Pav lent Lent t T sk § kab",
     .openings =
         "Tai Tas Ta Tie Tos Šis Ši Šie Šios Jis Ji Jie Jos Aš Tu Mes Jūs Jo Jų Mano Mūsų Yra Buvo Bus Ir Bet "
         "O Ar Arba Tačiau Jei Jeigu Kai Kada Kol Nors Nes Todėl Kad Kaip Kur Kas Ką Kuris Kuri Kodėl Kiek Ne "
         "Taip Jau Dar Pat Po To Tada Dabar Šiandien Vakar Rytoj Čia Ten Visi Visos Viskas Daug Kiekvienas "
         "Kiti Niekas Tik Pagal Per Prieš Nuo Iki Su Be Apie Dėl Į Iš Už Prie Galbūt Ačiū"},
    {.codes = "lv",
     .has_ordinals = true,
     .always =
         "k-gs k-dze kgs kdze dr Dr prof Prof doc Doc akad inž ģen pulkv maj kapt ltn māc bīsk sv Sv piem "
         "Piem t.i t.s t.sk sk Sk salīdz ang vāc fr apm aptuv dz mir tag dir pr",
     .usual =
         "u.c utt u.tml tml u.t.t u.t.jpr tūkst milj mljrd Ls jr U.S p.m.ē m.ē g gs janv febr apr jūn jūl aug "
         "sept okt nov dec tel Tel red izd tulk st min sek plkst",
     .before_number =
         "Nr nr lpp Lpp p pp Plkst att Att tab sēj nod pk §",
     .openings =
         "Tas Tā Tie Tās Šis Šī Šie Šīs Viņš Viņa Viņi Viņas Es Tu Mēs Jūs Tam Tajā Šajā Viņu Mans Mūsu Ir "
         "Bija Būs Un Bet Vai Taču Tomēr Ja Kad Kamēr Lai Jo Tāpēc Ka Kā Kur Kas Ko Kurš Kura Kāpēc Cik Nē Jā "
         "Nav Jau Vēl Arī Pēc Tad Tagad Šodien Vakar Rīt Šeit Tur Visi Visas Viss Daudzi Katrs Citi Neviens "
         "Nekas Tikai Pirms No Līdz Ar Bez Par Pie Uz Savukārt Varbūt Paldies"},
    {.codes = "sq",
     .always =
         "z Z znj Znj dr Dr prof Prof ing gjen kol psh Psh p.sh P.sh dmth d.m.th krh shih Shën Shn ang gjerm "
         "lat it",
     .usual =
         "etj e.tj jr sh.p.k sh.a U.S p.e.s e.s p.K m.K tel Tel rr Rr mln mld",
     .before_number =
         "nr Nr f fq Fq faq kap art Art vëll fig tab",
     .openings =
         "Ky Kjo Këta Këto Ai Ajo Ata Ato Unë Ti Ne Ju Një Në Nga Me Pa Për Te Tek Mbi Nën Pas Para Gjatë "
         "Sipas Dhe Por Ose Nëse Kur Sepse Megjithëse Ndërsa Si Ku Kush Çfarë Pse Sa Cili Cila Jo Po Është "
         "Janë Ishte Kishte Edhe Gjithashtu Pastaj Tani Sot Dje Nesër Këtu Atje Të Gjithë Shumë Disa Çdo "
         "Askush Asgjë Vetëm Falë"},
    {.codes = "eu",
     .has_ordinals = true,
     .always =
         "jn Jn and And dr Dr irak prof ing Sta Sto adb Adb ik Ik cf",
     .usual =
         "etab e.a eta.abar abar jr S.A S.L K.a K.o tel Tel U.S",
     .before_number =
         "zk Zk or Or orr art Art kap lib al",
     .openings =
         "Hori Hau Hura Horrek Honek Hark Haiek Hauek Nik Zuk Guk Ni Gu Zu Eta Baina Edo Bada Bat Baita Ere "
         "Gaur Atzo Bihar Orain Gero Hemen Hor Han Zer Nor Non Noiz Nola Zergatik Ez Bai Oso Denak Guztiak "
         "Asko Beste Horregatik Hala Dena"},
    {.codes = "cy ga gd",
     .always =
         "Mr Mrs Ms Dr Yr.Athro Prof Parch An.tUas An.tAth Uas h.y e.e i.e e.g cf m.sh Naomh St tud",
     .usual =
         "ayyb ayb etc srl agus.rl rl Jr Teo Tta Cyf Ltd U.S C.C O.C tel",
     .before_number =
         "t tt rhif Rhif l lch uimh Uimh Rh cyf pen Pen ad",
     .openings =
         "Mae Roedd Yr Y Yn Ar Ond Ac Os Pan Beth Pwy Ble Pam Sut Nid Dyma Dyna Hefyd Mi Fe Hi Ef Hwn Hon An "
         "Na Tá Bhí Is Ní Ach Agus Má Nuair Cad Cé Conas Sé Sí Siad Seo Sin I Ag Le Ó Do Tha Bha Chan"},
    {.codes = "id ms",
     .always =
         "Tn tn Ny ny Nn Bpk bpk Bp Sdr sdr Sdri Dr dr drg Drs Dra Prof prof Ir Hj K.H R.A Hjh Tgk Kol Letkol "
         "Mayjen Brigjen Jend Kapt Lettu Pdt Rm Pn En St a.n d.a u.p s.d yth Yth mis a.l cth",
     .usual =
         "dll dsb dst dkk dlsb Jr Inc Ltd Corp Tbk Bhd Sdn U.S A.S S.H S.E S.T M.Sc M.A B.A S.Pd M.Pd M.Si "
         "S.Kom Ph.D jl Jl Jln jln Gg Kec Kab Kel Tel Telp telp M SM Jan Feb Mar Apr Jun Jul Agu Agt Sep Okt "
         "Nov Des tgl",
     .before_number =
         "No no Nr hlm Hlm hal Hal ms gbr Gbr tab ps Ps jld Rp ay",
     .openings =
         "Ini Itu Dia Ia Mereka Saya Aku Kami Kita Kamu Anda Beliau Di Ke Dari Pada Dengan Untuk Oleh Dalam "
         "Tanpa Tentang Menurut Selama Sebelum Sesudah Setelah Sejak Dan Tetapi Tapi Atau Namun Jika Kalau "
         "Apabila Ketika Saat Karena Meskipun Walaupun Agar Apa Siapa Mana Kapan Mengapa Kenapa Bagaimana "
         "Berapa Yang Tidak Bukan Ya Sudah Telah Juga Selain Kemudian Lalu Sekarang Kini Kemarin Besok Hari "
         "Sini Semua Banyak Beberapa Setiap Hanya Para Ada Adalah Sebuah Seorang Akhirnya Mungkin Terima"},
    {.codes = "vi",
     .always =
         "TS Ts ThS Ths GS Gs PGS BS Bs KS Ks CN LS Th.S T.S G.S PGS.TS GS.TS TP Tp Tx Q v.d vd NXB Nxb ĐH "
         "Đ/c đ/c Ô St",
     .usual =
         "v.v v.v.v vv CP U.S Jr Inc Ltd Corp TCN SCN",
     .before_number =
         "tr Tr trg Đ đ",
     .openings =
         "Nó Họ Tôi Anh Chị Ông Bà Em Chúng Các Những Một Ở Trong Trên Dưới Với Từ Đến Theo Sau Trước Khi Nếu "
         "Vì Do Và Nhưng Hoặc Tuy Mặc Dù Tại Ai Gì Đâu Nào Sao Bao Không Có Là Đã Đang Sẽ Cũng Vẫn Rồi Bây "
         "Hôm Ngày Năm Đây Đó Này Tất Nhiều Mọi Mỗi Chỉ Điều Việc Người Cảm"},
    {.codes = "sw",
     .always =
         "Bw Bi Dkt Prof Mhe Mh Mch Sr k.m n.k k.v Mt",
     .usual =
         "n.k.w k.k B.K K.K Ltd U.S",
     .before_number =
         "Na na uk Uk",
     .openings =
         "Huyu Hii Hiki Hawa Yeye Wao Mimi Sisi Wewe Ni Na Lakini Au Kama Wakati Kwa Katika Baada Kabla Leo "
         "Jana Kesho Sasa Hapa Nini Nani Wapi Lini Hapana Ndiyo Pia"},
    {.codes = "ar",
     .always =
         "د أ أ.د م ص.ب ت ط ج هـ ق.م",
     .before_number =
         "ص رقم"},
    {.codes = "fa ur",
     .always =
         "د م ه ق.م",
     .before_number =
         "ص ج ش"},
    {.codes = "he",
     .always =
         "ד ר ה.ה פרופ גב ד\"ר",
     .before_number =
         "עמ מס ס"},
    {.codes = "hi mr ne",
     .always =
         "डॉ डा प्रो पं सु कु स्व ई.पू मि इं ले एड क्र",
     .usual =
         "ई बी.ए एम.ए",
     .before_number =
         "पृ सं नं"},
    {.codes = "bn as",
     .always =
         "ড ডা ডাঃ মো মোঃ মি প্রফ অধ্যা ইঞ্জি খ্রি খ্রিঃ"},
    {.codes = "ta te kn ml gu pa",
     .always =
         "திரு டி பே டா డా ప్రొ ಡಾ ಪ್ರೊ ഡോ പ്രൊഫ ડૉ ડો પ્રો ਡਾ ਸ ਪ੍ਰੋ",
     .usual =
         "கி.மு கி.பி எ.கா"},
    {.codes = "hy ka",
     .always =
         "պրոֆ դոկտ ակադ սբ ընկ օր տես պր տկն բ.գ.թ პროფ აკად დოქ ქ ქ-ნი ბ-ნი წმ მაგ იხ",
     .usual =
         "և.այլն և.ն.այլն թ դ մ.թ.ա մ.թ ა.შ და.ა.შ ძვ.წ ახ.წ სთ წ წთ ათ მლნ მლრდ",
     .before_number =
         "էջ գլ համ № გვ თ ტ მუხლ"},
    {.codes = "kk ky uz tg mn",
     .always =
         "проф доц акад инж ген көш Көш ул пр қ г обл мыс Мыс prof akad dots ko'ch mas Mas",
     .usual =
         "т.б т.с.с ж.т.б ж.б ж.ж ж жж млн млрд тг б.з.д б.э.ч г.м гэх.мэт м.э.ө va.h.k h.k v.b mln mlrd min",
     .before_number =
         "№ б сур кес т 1-"},
};
// clang-format on

}  // namespace

std::span<const LanguageRules> other_languages() {
  return kOther;
}

}  // namespace nmt::sentences
