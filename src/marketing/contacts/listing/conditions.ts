import { likeAnywhere, type Statement, sql } from '../../../db/sql.ts';
import type { ContactStatus } from '../status.ts';
import { all } from './queries.ts';

export function isFrom(id: number): Statement {
  return sql`c.id >= ${id}`;
}

export function hasStatus(status: ContactStatus): Statement {
  return sql`c.status = ${status}`;
}

/**
 * The same, but an index cannot be used for it. Together with `hideFromPlanner` this helps with lists and companies that are not in the
 * statistics yet: the planner assumed that they were nearly empty and joined them through the index of a status that nearly all
 * contacts have, which took minutes instead of 170 ms for 100,000 members.
 */
export function hasStatusByLookUp(status: ContactStatus): Statement {
  return sql`(c.status = ${status}) is true`;
}

export function hasTag(tag: string): Statement {
  return sql`c.tags @> array[${tag}]::text[]`;
}

/** For a scan. `term` is folded. A term without a trigram is written so that the trigram index cannot be used. */
export function hasTerm(term: string): Statement {
  const pattern = likeAnywhere(term);
  return hasTrigram(term) ? sql`c.search like ${pattern}` : sql`c.search || '' like ${pattern}`;
}

/**
 * The same by an index. `texts` is a sample of search texts, used to choose the rare parts of the term for the trigram index (see
 * `rareParts`). A term without trigrams, for which that index would be read as a whole, is found by its letter pairs.
 */
export function hasTermByIndex(term: string, texts: readonly string[]): Statement {
  const letters = [...term];
  const each = sql`c.search || '' like ${likeAnywhere(term)}`;
  if (letters.length > 2 && hasTrigram(term)) {
    return all([...rareParts(term, texts).map((part) => sql`c.search like ${likeAnywhere(part)}`), each]);
  }
  const pairs = sql`search_pairs(c.search) @@ ${pairsQuery(letters)}::tsquery`;
  return letters.length > 2 ? sql`${pairs} and ${each}` : pairs;
}

/** A tsquery over `search_pairs` for texts with these adjacent letters. A single letter is searched as the start of a pair. */
export function pairsQuery(letters: string[]): string {
  if (letters.length === 1) return `${quoted(letters[0]!)}:*`;
  return letters
    .slice(1)
    .map((letter, i) => quoted(`${letters[i]}${letter}`))
    .join(' & ');
}

/** Quotes a word of a tsquery. */
function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

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
