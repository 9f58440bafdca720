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
