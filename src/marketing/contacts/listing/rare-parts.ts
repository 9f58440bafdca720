/**
 * Texts in which pg_trgm finds a trigram: three letters or digits in a row, the beginning of a word, or two letters at its end
 * (the edge of a word counts as blanks).
 */
const TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;

/** Letters of a part: about one trigram. */
const PART = 3;
/** The maximum number of parts that are considered, and of those that are used. */
const MAX_CANDIDATES = 64;
const MAX_TAKEN = 4;

/** Whether the trigram index can be used for `%text%`. */
export function hasTrigram(text: string): boolean {
  return TRIGRAM.test(text);
}

/**
 * Parts of a term by which the trigram index finds it: every text with the term has all of them, and few other texts do. The
 * index reads a list of contacts for each trigram, and that of `example` is as long as the table: for `@mail-7.example` the part
 * `-7.` alone is as selective at a twentieth of the cost. `texts` is a sample that shows what is rare; a bad sample only costs
 * time.
 */
export function rareParts(term: string, texts: readonly string[]): string[] {
  const letters = [...term];
  const windows = letters.slice(PART - 1).map((_, i) => letters.slice(i, i + PART).join(''));
  const candidates = [...new Set(windows)].filter(hasTrigram).slice(0, MAX_CANDIDATES);
  const among = candidates.map((part) => ({ part, n: having(texts, part).length })).sort((a, b) => a.n - b.n);
  const wanted = having(texts, term).length;
  const taken: string[] = [];
  let left = texts;
  for (const { part, n } of among) {
    if (taken.length === MAX_TAKEN) break;
    const narrowed = having(left, part);
    // An additional rare part costs little, and the sample may be too small.
    if (n > texts.length / 100 && (left.length === wanted || narrowed.length === left.length)) continue;
    taken.push(part);
    left = narrowed;
  }
  return taken.length === 0 || left.length > wanted ? [term] : taken;
}

function having(texts: readonly string[], part: string): readonly string[] {
  return texts.filter((text) => text.includes(part));
}
