/** The first letter, then letter with a number, that is not the name of a branch yet. */
export function freeKey(keys: readonly string[]): string {
  for (let n = 0; ; n++) {
    const letter = String.fromCharCode(97 + (n % 26));
    const key = n < 26 ? letter : `${letter}${Math.floor(n / 26)}`;
    if (!keys.includes(key)) return key;
  }
}

/** The name of a branch as it was written, on one line. */
export function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
