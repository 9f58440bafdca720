export const SEPARATORS = ['point', 'comma'] as const;
/** The decimal separator. */
export type Separator = (typeof SEPARATORS)[number];

const SIGN: Record<Separator, string> = { point: '.', comma: ',' };

/** Removes spaces, apostrophes between thousands, and a currency before or after the number, even one with a dot: Fr. 12.50. */
function bare(text: string): string {
  return text.replace(/[\s\u00a0\u202f'’]/g, '').replace(/^\p{L}{1,3}\.|^[^\d.,-]{1,3}|[^\d.,]{1,3}$/gu, '');
}

/** Returns which decimal separator a number allows: 1.234,50 one, 1.234 either. Null if it has none (1234) or is no number. */
export function separatorOf(text: string): Separator | 'either' | null {
  const admits = separatorIn(text);
  // 1,2.3.4 is never a number, so it says nothing about the other values.
  return admits === null || admits === 'either' || decimalOf(text, admits) !== null ? admits : null;
}

function separatorIn(text: string): Separator | 'either' | null {
  const plain = bare(text);
  if (!/^-?[\d.,]*\d$/.test(plain)) return null;
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last === -1) return null;
  const own: Separator = plain[last] === '.' ? 'point' : 'comma';
  const other: Separator = own === 'point' ? 'comma' : 'point';
  // Thousands separators may repeat and precede three digits; a decimal separator occurs once.
  if (plain.includes(SIGN[other])) return own;
  if (plain.indexOf(SIGN[own]) !== last) return other;
  return /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(plain) ? 'either' : own;
}

/** Groups: sign, whole part, decimals. */
const NUMBER: Record<Separator, RegExp> = {
  point: /^(-?)(\d*|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3})(?:\.(\d+))?$/,
  comma: /^(-?)(\d*|[1-9]\d{0,2}(?:\.\d{2,3})*\.\d{3})(?:,(\d+))?$/,
};

/** Returns the number with a decimal point; null if the text is no number with this separator. */
export function decimalOf(text: string, separator: Separator): string | null {
  const parts = NUMBER[separator].exec(bare(text));
  if (parts === null) return null;
  const [, sign, whole = '', decimals] = parts;
  if (whole === '' && decimals === undefined) return null;
  const digits = whole === '' ? '0' : whole.replace(/[.,]/g, '');
  return `${sign}${digits}${decimals === undefined ? '' : `.${decimals}`}`;
}
