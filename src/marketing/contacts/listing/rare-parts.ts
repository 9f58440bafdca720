/**
 * What pg_trgm finds a trigram in: three letters or digits in a row, or, a word's edge counting as blanks, the beginning of
 * a word or two letters at the end of one.
 */
const TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;

/** Letters of a part: hardly more than one trigram. */
const PART = 3;
/** Parts that are looked at and taken at most. */
const MAX_CANDIDATES = 64;
const MAX_TAKEN = 4;

/** Whether the index of trigrams knows anything of `%text%`. */
export function hasTrigram(text: string): boolean {
  return TRIGRAM.test(text);
}

/**
 * Parts of a term that has a trigram, by which an index of trigrams finds it: whoever has the term has all of them, and
 * hardly anybody else does. The index reads a list of contacts for each trigram that it is asked for, and that of
 * `example` is as long as the table; of `@mail-7.example` the part `-7.` alone tells as much for a twentieth of the work.
 * `texts` are a sample, which tells what is rare; wrong or empty it costs time only.
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
    // A rare one more costs next to nothing, and the sample may know too little.
    if (n > texts.length / 100 && (left.length === wanted || narrowed.length === left.length)) continue;
    taken.push(part);
    left = narrowed;
  }
  return taken.length === 0 || left.length > wanted ? [term] : taken;
}

function having(texts: readonly string[], part: string): readonly string[] {
  return texts.filter((text) => text.includes(part));
}
