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

/** Returns the text with its letters as they are written without diacritics, in the same case, and with compatibility forms replaced. */
export function withoutMarks(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøłđðþħı]/giu, (letter) => {
      const small = letter.toLowerCase();
      return letter === small ? UNMARKED[small]! : UNMARKED[small]!.toUpperCase();
    });
}
