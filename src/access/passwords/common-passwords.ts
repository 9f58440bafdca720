/** Passwords of eight and more characters with which guessing begins; lower case. */
const COMMON = new Set(
  `
  !qaz2wsx 00000000 000000000 0000000000 01012011 0123456789 0192837465 0987654321 10101010 10203040 102030405060
  1029384756 11111111 111111111 1111111111 11112222 1111aaaa 11223344 1122334455 112233445566 12121212 121212121212
  1223334444 123123123 1231231234 123123abc 123123qwe 123321123 123321123321 12341234 12344321 1234512345 123454321
  1234554321 1234560987 123456123456 123456654321 12345678 123456780 123456781 123456788 123456789 1234567890
  12345678900 1234567890a 1234567891 12345678910 123456789123 123456789a 123456789q 12345678a 12345678q 12345679
  1234567a 123456abc 123456qwerty 12345qwert 1234abcd 1234qwer 123698745 123789456 123abc123 123qwe123 123qweasd
  123qweasdzxc 13131313 1314520520 14141414 147258369 1472583690 147852369 147896325 159159159 159357456 159753456
  19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991 19921992 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y
  1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 20202020 22222222 23232323 25252525 2wsx3edc 321321321 33333333
  42424242 44444444 456456456 456789123 5201314520 55555555 654321654321 66666666 69696969 741852963 77777777
  777777777 78945612 789456123 789789789 852456852 87654321 88776655 88888888 888888888 951753852 963852741 98765432
  987654321 9876543210 99999999 999999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678
  aaaa1111 aaaaaaaa aaaaaaaaaa abc12345 abc123456 abc123abc abcabcabc abcd1234 abcd12345 abcd123456 abcdef123 abcdefg1
  abcdefgh abcdefghi access14 admin123 admin1234 admin12345 administrator aini1314 alexander alexandra america1
  andrea123 angel123 angels123 anthony1 arsenal1 asd123456 asdasdasd asdf1234 asdf12345 asdfasdf asdfgh123 asdfghjk
  asdfghjkl asdfghjkl1 asdfqwer asshole1 autumn123 azerty123 azertyuiop babygirl babygirl1 bailey123 banana123
  barcelona barcelona1 baseball baseball1 basketball basketball1 benjamin bismillah bitch123 blessed1 blink182
  bond007007 bullshit buster123 buttercup butterfly butterfly1 carolina changeme changeme1 changeme123 charlie1
  charlie123 cheese123 chelsea1 china123 chocolate chocolate1 christian christina christopher computer computer1
  contrasena contraseña cookie123 corvette cowboys1 cristiano cristina daniel123 danielle december default1 doraemon
  dragon12 dragon123 dragonball elizabeth facebook facebook1 fernanda fernando ferrari1 flower123 football football1
  football123 francisco freedom1 freedom123 fuckoff1 fuckyou! fuckyou1 fuckyou123 fuckyou2 gabriela garfield gfhjkm123
  ginger123 godisgood google123 guest123 harley123 haslo123 heaven123 hello123 hello1234 hello12345 hellohello
  hellokitty helloworld heslo123 hindustan hockey123 hottie12 hunter123 ilovegod ilovejesus iloveme1 ilovemom
  iloveu123 iloveyou iloveyou! iloveyou1 iloveyou12 iloveyou123 iloveyou1314 iloveyou2 india123 india@123 internet
  internet1 isabella january1 jennifer jennifer1 jessica1 jesus123 jesuschrist jordan123 jordan23 juventus killer12
  killer123 lakers24 letmein! letmein1 letmein123 linkedin liverpool liverpool1 lkjhgfdsa login123 lovelove lovely123
  loveme123 loveyou1 lucky123 maggie123 manchester manutd123 maradona10 marina123 master123 matrix123 mercedes
  messi123 metallica michael1 michael123 michelle michelle1 mickey123 minecraft minecraft1 mnbvcxz1 monkey12 monkey123
  monkey1234 motdepasse motherfucker mustang1 mypassword naruto123 natasha1 ncc1701d ncc1701e nicholas nicolas1
  nintendo nirvana1 onepiece orange123 p@ssw0rd p@ssword pa$$w0rd pa$$word packers1 pakistan pakistan1 parola123
  pass1234 pass12345 passpass passport1 passw0rd passw0rd1 password password! password01 password1 password1!
  password11 password12 password123 password1234 password12345 password123456 password2 password3 password99 passwort
  passwort1 patricia peanut123 pepper123 playstation poiuytre poiuytrewq pokemon1 pokemon12 pokemon123 porsche911
  precious princess princess1 princess123 purple123 q12345678 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc
  qq123456 qq123456789 qwe123456 qwe123qwe qweasd123 qweasdqwe qweasdzxc qweqwe123 qweqweqwe qwer1234 qwerqwer
  qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty777 qwertyqwerty qwertyui qwertyuio qwertyuiop
  qwertyuiop1 qwertyuiop123 qwertz123 qwertzuiop realmadrid rockstar rockstar1 ronaldo123 ronaldo7 root1234 rush2112
  salasana samantha samantha1 samsung1 samsung123 scooter1 sebastian secret12 secret123 senha123 shadow12 shadow123
  sifre123 slipknot snoopy123 snowball soccer12 soccer123 sophie123 spartak1 spiderman spiderman1 spring123 starwars
  starwars1 steelers stephanie strawberry summer123 summer2020 summer2023 summer2024 sunshine sunshine1 sunshine123
  superman superman1 superman123 sweetheart sweetie1 tennis123 test1234 test12345 tester123 testing1 testing123
  testtest thomas123 thx11381 tigger123 tinkerbell toor1234 trustno1 user1234 valentina veronica vfhbyf123 victoria
  vkontakte w123456789 wachtwoord welcome! welcome1 welcome12 welcome123 whatever whatever1 winter123 winter2020
  winter2023 winter2024 woaini123 woaini1314 woaini520 wordpass xiaoming yamaha123 yankees1 yellow123 youtube123
  z123456789 zaq12wsx zaq1xsw2 zenit2011 zxcv1234 zxcvbnm, zxcvbnm,. zxcvbnm1 zxcvbnm123 zxcvbnmz zxczxczxc zz123456
`
    .trim()
    .split(/\s+/),
);

/** Whether guessing would begin with this password, in whatever case. */
/** @param names what a password must not consist of: the shop's name, for one */
export function isCommonPassword(password: string, names: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  if (COMMON.has(text) || /^[\s\p{C}]*$/u.test(text)) return true;
  const letters = lettersOf(text).replace(/^\d+|\d+$/g, '');
  return [PRODUCT, ...names].some((name) => isMadeOf(letters, lettersOf(name.normalize('NFKC').toLowerCase())));
}

const PRODUCT = 'Tradeloom';
/** With fewer letters nearly every password would be made of it. */
const SHORTEST_NAME = 3;

/** Once or again and again; figures around it and signs between are what guessing tries next. */
function isMadeOf(letters: string, name: string): boolean {
  return name.length >= SHORTEST_NAME && letters !== '' && letters.replaceAll(name, '') === '';
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
