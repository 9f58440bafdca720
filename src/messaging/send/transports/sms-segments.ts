/** GSM 03.38: one septet each, except for characters after the escape character, which take two. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENDED = new Set('\f^{}\\[~]|€');

/** No provider accepts more than ten segments. */
const MAX_SMS = 1_600;

/** Converts a rendered text to the text that is sent. */
export function smsText(rendered: string): string {
  return rendered.trim().slice(0, MAX_SMS).toWellFormed();
}

export interface SegmentCount {
  encoding: 'gsm7' | 'ucs2';
  /** Segments charged by the provider; an empty text is one. */
  segments: number;
  /** Septets of GSM 7-bit, or 16-bit units of UCS-2. */
  units: number;
}

/**
 * Returns how many SMS a text takes. A single one holds 160 septets or 70 units; each of several holds 153 or 67, and none starts in the
 * middle of a character.
 */
export function countSegments(text: string): SegmentCount {
  const characters = [...text];
  const gsm = characters.every((character) => BASIC.has(character) || EXTENDED.has(character));
  const sizes = characters.map((character) => (gsm ? (EXTENDED.has(character) ? 2 : 1) : character.length));
  const units = sizes.reduce((sum, size) => sum + size, 0);
  const encoding = gsm ? 'gsm7' : 'ucs2';
  if (units <= (gsm ? 160 : 70)) return { encoding, segments: 1, units };
  const room = gsm ? 153 : 67;
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > room) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { encoding, segments, units };
}
