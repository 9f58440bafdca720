/** A name as names are compared: exports write the dash before a variant in one way, the shop in another. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s*[-–—]\s+/g, ' - ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The spellings of a name among which the database looks for it. */
export function spellingsOf(name: string): string[] {
  return [...new Set([name, name.replaceAll(' - ', ' – '), name.replaceAll(' – ', ' - ')])];
}
