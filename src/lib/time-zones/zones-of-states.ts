/** The zones of a country with several. */
interface Zones {
  /** Zone → its subdivisions by ISO 3166-2, or the larger ones that they are part of. */
  states?: Readonly<Record<string, string>>;
  /** The zone of all other subdivisions that ISO lists. */
  others?: string;
  /** The zone of addresses without a known subdivision too: at least 95 of 100 inhabitants live in it. */
  whole?: string;
  /** Subdivisions in which less than 95 of 100 inhabitants live in one zone. */
  split?: string;
}

/** Countries for which ICU lists several zones. A subdivision has a zone if at least 95 of 100 of its inhabitants live in it. */
export const ZONES_OF_STATES: Readonly<Record<string, Zones>> = {
  AQ: {},
  AR: { whole: 'America/Argentina/Buenos_Aires' },
  AU: {
    states: {
      'Australia/Adelaide': 'SA',
      'Australia/Brisbane': 'QLD',
      'Australia/Darwin': 'NT',
      'Australia/Hobart': 'TAS',
      'Australia/Melbourne': 'VIC',
      'Australia/Perth': 'WA',
      'Australia/Sydney': 'NSW ACT',
    },
  },
  BR: {
    states: {
      'America/Araguaina': 'TO',
      'America/Bahia': 'BA',
      'America/Belem': 'AP PA',
      'America/Boa_Vista': 'RR',
      'America/Campo_Grande': 'MS',
      'America/Cuiaba': 'MT',
      'America/Fortaleza': 'CE MA PB PI RN',
      'America/Maceio': 'AL SE',
      'America/Manaus': 'AM',
      'America/Porto_Velho': 'RO',
      'America/Recife': 'PE',
      'America/Rio_Branco': 'AC',
      'America/Sao_Paulo': 'DF ES GO MG PR RJ RS SC SP',
    },
  },
  CA: {
    states: {
      'America/Edmonton': 'AB NT',
      'America/Halifax': 'NS PE',
      'America/Moncton': 'NB',
      'America/Regina': 'SK',
      'America/Toronto': 'ON QC',
      'America/Vancouver': 'BC',
      'America/Whitehorse': 'YT',
      'America/Winnipeg': 'MB',
    },
    split: 'NL NU',
  },
  CD: {
    states: { 'Africa/Kinshasa': 'BC EQ KG KL KN MN MO NU SU TU' },
    others: 'Africa/Lubumbashi',
  },
  CL: { states: { 'America/Coyhaique': 'AI', 'America/Punta_Arenas': 'MA' }, whole: 'America/Santiago' },
  CN: { whole: 'Asia/Shanghai' },
  CY: { whole: 'Asia/Nicosia' },
  DE: { whole: 'Europe/Berlin' },
  EC: { states: { 'Pacific/Galapagos': 'W' }, whole: 'America/Guayaquil' },
  ES: { states: { 'Atlantic/Canary': 'CN' }, whole: 'Europe/Madrid' },
  FM: { states: { 'Pacific/Chuuk': 'TRK YAP', 'Pacific/Kosrae': 'KSA', 'Pacific/Pohnpei': 'PNI' } },
  GL: { whole: 'America/Nuuk' },
  ID: {
    states: {
      'Asia/Jakarta': 'AC BB BE BT JA JB JI JK JT KR LA RI SB SS SU YO',
      'Asia/Jayapura': 'MA MU PA PB PD PE PS PT',
      'Asia/Makassar': 'BA GO KI KS KU NB NT SA SG SN SR ST',
      'Asia/Pontianak': 'KB KT',
    },
  },
  KI: { states: { 'Pacific/Kanton': 'P', 'Pacific/Kiritimati': 'L', 'Pacific/Tarawa': 'G' } },
  KZ: { whole: 'Asia/Almaty' },
  MH: { whole: 'Pacific/Majuro' },
  MN: { states: { 'Asia/Hovd': '043 046 071' }, others: 'Asia/Ulaanbaatar' },
  MX: {
    states: {
      'America/Cancun': 'ROO',
      'America/Hermosillo': 'SON',
      'America/Mazatlan': 'BCS SIN',
      'America/Monterrey': 'NLE',
      'America/Tijuana': 'BCN',
    },
    others: 'America/Mexico_City',
    split: 'CHH COA NAY TAM',
  },
  MY: { whole: 'Asia/Kuala_Lumpur' },
  NZ: { states: { 'Pacific/Chatham': 'CIT' }, whole: 'Pacific/Auckland' },
  PF: { whole: 'Pacific/Tahiti' },
  PG: { states: { 'Pacific/Bougainville': 'NSB' }, whole: 'Pacific/Port_Moresby' },
  PS: { whole: 'Asia/Gaza' },
  PT: { states: { 'Atlantic/Azores': '20', 'Atlantic/Madeira': '30' }, whole: 'Europe/Lisbon' },
  RU: {
    states: {
      'Asia/Anadyr': 'CHU',
      'Asia/Barnaul': 'AL ALT',
      'Asia/Chita': 'ZAB',
      'Asia/Irkutsk': 'BU IRK',
      'Asia/Kamchatka': 'KAM',
      'Asia/Krasnoyarsk': 'KK KYA TY',
      'Asia/Magadan': 'MAG',
      'Asia/Novokuznetsk': 'KEM',
      'Asia/Novosibirsk': 'NVS',
      'Asia/Omsk': 'OMS',
      'Asia/Sakhalin': 'SAK',
      'Asia/Tomsk': 'TOM',
      'Asia/Vladivostok': 'KHA PRI YEV',
      'Asia/Yakutsk': 'AMU',
      'Asia/Yekaterinburg': 'BA CHE KGN KHM ORE PER SVE TYU YAN',
      'Europe/Astrakhan': 'AST',
      'Europe/Kaliningrad': 'KGD',
      'Europe/Samara': 'SAM UD',
      'Europe/Saratov': 'SAR',
      'Europe/Ulyanovsk': 'ULY',
      'Europe/Volgograd': 'VGG',
    },
    others: 'Europe/Moscow',
    split: 'SA',
  },
  UA: { whole: 'Europe/Kyiv', split: '40 43' },
  UM: {},
  US: {
    states: {
      'America/Anchorage': 'AK',
      'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK TX WI',
      'America/Denver': 'CO MT NM UT WY',
      'America/Detroit': 'MI',
      'America/Los_Angeles': 'CA NV OR WA',
      'America/New_York': 'CT DC DE FL GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV',
      'America/Phoenix': 'AZ',
      'America/Puerto_Rico': 'PR',
      'America/St_Thomas': 'VI',
      'Pacific/Guam': 'GU',
      'Pacific/Honolulu': 'HI',
      'Pacific/Pago_Pago': 'AS',
      'Pacific/Saipan': 'MP',
    },
    split: 'ID IN KY SD TN',
  },
  UZ: { whole: 'Asia/Tashkent' },
};
