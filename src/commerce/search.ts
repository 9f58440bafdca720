import { foldText } from '../db/fold.ts';
import { likeAnywhere, type Statement, sql } from '../db/sql.ts';

/** The different words of a search, folded as the `search` columns are; all of them must be found. */
export function wordsOf(search: string | undefined): string[] {
  return [...new Set(foldText(search ?? '').split(' '))].filter((word) => word !== '');
}

/** Letters that a word must have for the trigram index to know it. */
const TRIGRAM = 3;

/**
 * One condition for each word on a `search` column. Shorter words go past the index: it would be walked from one end to
 * the other for them, which takes three times as long as reading the rows.
 */
export function conditionsOf(column: Statement, words: readonly string[]): Statement[] {
  return words.map((word) =>
    word.length < TRIGRAM ? sql`strpos(${column}, ${word}) > 0` : sql`${column} like ${likeAnywhere(word)}`,
  );
}
