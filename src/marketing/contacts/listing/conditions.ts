import { likeAnywhere, type Statement, sql } from '../../../db/sql.ts';
import type { ContactStatus } from '../status.ts';
import { all } from './queries.ts';
import { hasTrigram, rareParts } from './rare-parts.ts';

export function isFrom(id: number): Statement {
  return sql`c.id >= ${id}`;
}

export function hasStatus(status: ContactStatus): Statement {
  return sql`c.status = ${status}`;
}

/**
 * The same as no condition of an index. With `hideFromPlanner` it keeps a list that was filled just now, or a company that no
 * statistics know of yet, from being taken for nearly empty: then contacts were found by a status that nearly all have, and
 * all of the company's were looked at for each member, minutes for 100,000 in place of a sixth of a second.
 */
export function hasStatusByLookUp(status: ContactStatus): Statement {
  return sql`(c.status = ${status}) is true`;
}

export function hasTag(tag: string): Statement {
  return sql`c.tags @> array[${tag}]::text[]`;
}

/** For contacts that are looked at one by one. `term` is folded. One without a trigram is kept away from their index. */
export function hasTerm(term: string): Statement {
  const pattern = likeAnywhere(term);
  return hasTrigram(term) ? sql`c.search like ${pattern}` : sql`c.search || '' like ${pattern}`;
}

/**
 * The same, by an index. `texts` are what other contacts are called: of a term with trigrams those parts are looked for in
 * their index that few have (see `rareParts`). One without any would have to read that index as a whole, and is found by
 * its pairs of letters.
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

/** The words of `search_pairs` that a text with these letters side by side has: a tsquery. A single letter begins a pair wherever it stands, or is the last. */
export function pairsQuery(letters: string[]): string {
  if (letters.length === 1) return `${quoted(letters[0]!)}:*`;
  return letters
    .slice(1)
    .map((letter, i) => quoted(`${letters[i]}${letter}`))
    .join(' & ');
}

/** As a word of a tsquery. */
function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
