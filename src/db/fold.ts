/** Letters that a person types without their diacritic, and that Unicode does not decompose. */
const UNMARKED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};

/**
 * Returns the text as searches compare it: lower case, without accents, compatibility forms replaced, white space
 * collapsed and trimmed. Both the contents of a `search` column and the text searched for pass through here.
 */
export function foldText(text: string): string {
  const plain = isPlainAscii(text) ? text.toLowerCase() : foldMarks(text);
  return plain.replace(/\s+/g, ' ').trim();
}

function foldMarks(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþħı]/g, (letter) => UNMARKED[letter]!)
    .normalize('NFC');
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
