/**
 * Names and codes in use that neither ISO 3166-2 nor the Unicode CLDR has, by country: the code, then what else is meant by it. Codes that
 * ISO does not list are those of the American post.
 */
export const SUBDIVISION_ALIASES: Readonly<Record<string, string>> = {
  CA: 'NL:Newfoundland|Labrador, NT:North West Territories, PE:PEI, QC:PQ, YT:Yukon Territory',
  CN: `
    AH:安徽, BJ:北京, CQ:重庆, FJ:福建, GD:广东, GS:甘肃, GX:广西|广西壮族|Guangxi, GZ:贵州, HA:河南, HB:湖北, HE:河北, HI:海南,
    HK:香港|Hong Kong, HL:黑龙江, HN:湖南, JL:吉林, JS:江苏, JX:江西, LN:辽宁, MO:澳门|Macao|Macau, NM:内蒙古|Inner Mongolia,
    NX:宁夏|宁夏回族, QH:青海, SC:四川, SD:山东, SH:上海, SN:陕西, SX:山西, TJ:天津, TW:台湾|Taiwan, XJ:新疆|新疆维吾尔, XZ:西藏,
    YN:云南, ZJ:浙江`,
  GB: 'SCT:Scotland, NIR:Northern Ireland, WLS:Wales',
  IN: 'CG:CT|Chattisgarh, OD:OR|Orissa, PY:Pondicherry, TS:TG, UK:UT|Uttaranchal',
  JP: `
    01:北海道, 02:青森, 03:岩手, 04:宮城, 05:秋田, 06:山形, 07:福島, 08:茨城, 09:栃木, 10:群馬, 11:埼玉, 12:千葉, 13:東京, 14:神奈川,
    15:新潟, 16:富山, 17:石川, 18:福井, 19:山梨, 20:長野, 21:岐阜, 22:静岡, 23:愛知, 24:三重, 25:滋賀, 26:京都, 27:大阪, 28:兵庫,
    29:奈良, 30:和歌山, 31:鳥取, 32:島根, 33:岡山, 34:広島, 35:山口, 36:徳島, 37:香川, 38:愛媛, 39:高知, 40:福岡, 41:佐賀, 42:長崎,
    43:熊本, 44:大分, 45:宮崎, 46:鹿児島, 47:沖縄`,
  KR: `
    11:서울, 26:부산, 27:대구, 28:인천, 29:광주|Gwangju, 30:대전, 31:울산, 41:경기, 42:강원, 43:충북|충청북, 44:충남|충청남, 45:전북|전라북,
    46:전남|전라남, 47:경북|경상북, 48:경남|경상남, 49:제주, 50:세종`,
  MX: 'CMX:CDMX|DF|Mexico City|Distrito Federal, MEX:Estado de México',
  NZ: 'MBH:Marlborough',
  US: `
    AA:Armed Forces Americas, AE:Armed Forces Europe, AP:Armed Forces Pacific, DC:Washington DC|D.C., FM:Micronesia, MH:Marshall Islands,
    PW:Palau, VI:Virgin Islands|U.S. Virgin Islands`,
};
