import { foldText } from '../db/fold.ts';
import { likeAnywhere, type Statement, sql } from '../db/sql.ts';

/** The different words of a search, folded as the `search` columns are; all of them must be found. */
export function wordsOf(search: string | undefined): string[] {
  return [...new Set(foldText(search ?? '').split(' '))].filter((word) => word !== '');
}

/** Letters that a word must have for the trigram index to know it. */
const TRIGRAM = 3;

/**
 * Conditions on a `search` column, all of which must hold. A word without a trigram goes past the trigram index, which would be
 * walked from one end to the other for it, and is looked for in the rows that the other words leave. Where there is no other
 * word, an index of the pairs of letters finds them.
 */
export function conditionsOf(column: Statement, words: readonly string[]): Statement[] {
  if (words.length > 0 && words.every((word) => word.length < TRIGRAM)) {
    return [sql`search_pairs(${column}) @@ ${words.map(pairOf).join(' & ')}::tsquery`];
  }
  return words.map((word) =>
    word.length < TRIGRAM ? sql`strpos(${column}, ${word}) > 0` : sql`${column} like ${likeAnywhere(word)}`,
  );
}

/** As a query for what search_pairs makes: a single letter begins a pair wherever it stands, or is the last alone. */
function pairOf(word: string): string {
  const quoted = `'${word.replace(/['\\]/g, '$&$&')}'`;
  return [...word].length === 1 ? `${quoted}:*` : quoted;
}
