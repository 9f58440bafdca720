/** ISO 3166-1, each country as alpha-2 and alpha-3 in one word. */
const CODES = `
  ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB
  BDBGD BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR
  BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR
  CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK
  FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS
  GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN
  ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO
  LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD
  MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER
  NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM
  PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP
  SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF
  TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA UMUMI USUSA UYURY
  UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE
`
  .trim()
  .split(/\s+/)
  .map((codes) => [codes.slice(0, 2), codes.slice(2)] as const);

/** The alpha-2 codes, in order. */
export const COUNTRY_CODES: readonly string[] = CODES.map(([alpha2]) => alpha2);

/** The countries of the EU and the EEA, the United Kingdom and Switzerland. */
const OPT_IN = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
);

/** Whether the law of the country (ISO 3166 alpha-2) requires consent to marketing in advance. */
export function requiresOptIn(country: string): boolean {
  return OPT_IN.has(country);
}

const GERMAN = new Set(['AT', 'CH', 'DE', 'LI']);

/** The language, of those that messages are written in, that most people of the country read. */
export function languageOf(country: string): 'en' | 'de' {
  return GERMAN.has(country) ? 'de' : 'en';
}

/** Common English names that differ from those of the Unicode CLDR; in the folded form. */
const ALIASES: Readonly<Record<string, string>> = {
  AE: 'uae',
  BN: 'brunei darussalam',
  BQ: 'bonaire sint eustatius and saba',
  CD: 'democratic republic of congo|dr congo|drc',
  CG: 'congo',
  CI: 'ivory coast',
  CV: 'cabo verde',
  CZ: 'czech republic',
  FK: 'falkland islands malvinas',
  GB: 'uk|great britain|britain|england|scotland|wales|northern ireland|united kingdom of great britain and northern ireland',
  HK: 'hong kong',
  HM: 'heard island and mcdonald islands',
  KP: 'democratic peoples republic of korea',
  KR: 'korea',
  LA: 'lao peoples democratic republic',
  MF: 'st martin french part',
  MK: 'macedonia',
  MM: 'myanmar|burma',
  MO: 'macao|macau',
  NL: 'holland',
  PN: 'pitcairn',
  PS: 'palestine',
  RU: 'russian federation',
  SH: 'st helena ascension and tristan da cunha',
  SK: 'slovak republic',
  SX: 'sint maarten dutch part',
  SY: 'syrian arab republic',
  SZ: 'swaziland',
  TL: 'east timor',
  TR: 'turkey',
  TW: 'republic of china|province of china taiwan',
  UM: 'united states minor outlying islands',
  US: 'united states of america|america',
  VA: 'holy see|vatican|holy see vatican city state',
  VG: 'virgin islands british',
  VI: 'virgin islands us|virgin islands of united states',
  VN: 'viet nam',
};

/** Alpha-2 by folded code or name. */
const COUNTRIES = new Map<string, string>();
const cldrNames = new Intl.DisplayNames('en', { type: 'region' });
for (const [alpha2, alpha3] of CODES) {
  const names = [alpha2, alpha3, cldrNames.of(alpha2) ?? alpha2, ...(ALIASES[alpha2]?.split('|') ?? [])];
  for (const name of names) COUNTRIES.set(fold(name), alpha2);
}

/** Longer than any country's name: longer input is rejected unread. */
const MAX_LENGTH = 80;

/**
 * Returns the ISO 3166-1 alpha-2 code for a code (alpha-2, alpha-3) or an English name in any case, spelt with or
 * without accents, "the", "St." or "Saint", "&" or "and", and also as in "Republic of Poland" or "Moldova, Republic
 * of". Null for anything else.
 */
export function normaliseCountry(input: string): string | null {
  const text = input.trim();
  if (text.length > MAX_LENGTH) return null;
  const [, name, qualifier] = /^([^,(]+)[,(]([^)]*)\)?$/.exec(text) ?? [];
  return find(fold(text)) ?? (qualifier === undefined ? null : find(fold(`${qualifier} ${name}`)));
}

const FORM_OF_STATE = /^.*\b(?:republic|kingdom|state|states|principality|commonwealth|duchy|union|sultanate) of /;

/** First as written, so that the two Congos, Koreas and Chinas stay apart, then without the form of state. */
function find(folded: string): string | null {
  return COUNTRIES.get(folded) ?? COUNTRIES.get(folded.replace(FORM_OF_STATE, '')) ?? null;
}

function fold(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}.'’]/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/\bthe\b/g, ' ')
    .replace(/\bsaint\b/g, 'st')
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
