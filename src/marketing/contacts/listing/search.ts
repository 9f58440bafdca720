import type { Queryable } from '../../../db/pool.ts';
import type { Statement } from '../../../db/sql.ts';
import { hasTerm, hasTermByIndex } from './conditions.ts';
import * as queries from './queries.ts';
import { findSome, sampleTexts, walkNewest } from './search-queries.ts';

/** The ids of a page; `exact` is false if `total` is only a lower bound. */
export interface Found extends queries.FoundPage {
  exact: boolean;
}

/** In a set of up to this many contacts, matches are counted exactly: those of a common term by a scan (12 ms). */
export const WHOLE = 50_000;
/** The number of newest contacts that are scanned to see whether a term is common (1 ms). */
const SAMPLE = 5_000;
/** With this many matches in the sample (5 %), continuing the scan is faster than the index. */
const COMMON = 250;
/** The number of newest contacts whose texts show which parts of a term are rare. */
const TEXTS = 500;
/** The maximum number of matches that are counted among more than `WHOLE` contacts. */
const COUNTED = 1_000;

/**
 * Contacts whose name or e-mail contains `term`. Scans a sample of the newest contacts first and goes on scanning if the term
 * is common; rare terms are found by the trigram index, short ones by the index of letter pairs.
 */
export async function search(
  db: Queryable,
  companyId: number,
  set: queries.KeptSet,
  { term, others }: { term: string; others: Statement[] },
  bounds: queries.Bounds,
): Promise<Found> {
  const { skip, take } = bounds;
  const conditions = [hasTerm(term), ...others];
  const lookAt = (newest: number, matches: number) =>
    walkNewest(db, companyId, set, conditions, { skip, take: take + 1, whole: newest, newest, matches });
  const matches = Math.max(COUNTED, skip + take) + 1;
  let walked = await lookAt(SAMPLE, matches);
  const { size } = walked;
  const isCommon = walked.total >= COMMON;
  if (size > SAMPLE && isCommon && (size <= WHOLE || walked.total <= COUNTED)) {
    walked = await lookAt(WHOLE, matches);
  }
  if (size <= (isCommon ? WHOLE : SAMPLE)) return { total: walked.total, ids: walked.ids.slice(0, take), exact: true };
  const isInside = walked.ids.length > take;
  if (walked.total > COUNTED && isInside) return atLeast(walked.ids, bounds);
  const { texts, isMost } = await sampleTexts(db, companyId, { limit: TEXTS, size });
  const limit = size <= WHOLE ? null : COUNTED + 1;
  const indexed = [hasTermByIndex(term, texts), ...others];
  const some = await findSome(db, companyId, set, indexed, { limit, isMost });
  if (limit === null || some.length < limit) {
    const ids = some.sort((a, b) => b - a).slice(skip, skip + take);
    return { total: some.length, ids, exact: true };
  }
  if (isInside) return atLeast(walked.ids, bounds);
  if (walked.total * (WHOLE / SAMPLE) > skip + take) {
    const { ids } = await lookAt(WHOLE, skip + take + 1);
    if (ids.length > take) return atLeast(ids, bounds);
  }
  return atLeast(await queries.findOrdered(db, companyId, set, conditions, { skip, take: take + 1 }), bounds);
}

/** If there are more matches, `ids` has one more than the page, so that paging reaches the last contact. */
function atLeast(ids: number[], { skip, take }: queries.Bounds): Found {
  return { total: Math.max(COUNTED, skip + ids.length), ids: ids.slice(0, take), exact: false };
}
