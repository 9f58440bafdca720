import anyAscii from 'any-ascii';

/** Returns the text in the Latin alphabet without diacritics, as ASCII. Different texts may become the same. */
export function inLatin(text: string): string {
  // Composed first: the marks of other alphabets, such as those of ガ, belong to their letters.
  return anyAscii(text.normalize('NFC'));
}
