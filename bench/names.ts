/** Names of fictitious people, for measurements. */
export const FIRST_NAMES = [
  'Ada',
  'Bram',
  'Chiara',
  'Dunja',
  'Emil',
  'Fatima',
  'Goran',
  'Hanna',
  'Ivo',
  'Jana',
  'Kofi',
  'Lena',
];
export const LAST_NAMES = [
  'Berg',
  'Costa',
  'Dahl',
  'Evers',
  'Fischer',
  'Groot',
  'Haas',
  'Ito',
  'Jansen',
  'Keller',
  'Lang',
];
