import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { findCouponTemplates, findPropertyNames } from './queries.ts';
import { type KnownNames, knownNames } from './variables.ts';

/** Companies whose names are cached, about 10 kB each. */
const COMPANIES = 500;
const KEPT_MS = 60_000;

/** Returns the variables that messages of a company may use. The properties of its contacts are up to a minute old. */
export function createKnownNames(
  db: Pick<Db, 'lists'>,
  now: () => number = monotonicMs,
): (companyId: number) => Promise<KnownNames> {
  const properties = new LRUCache<number, string[]>({
    max: COMPANIES,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now },
    fetchMethod: async (companyId) => findPropertyNames(db.lists(companyId), companyId),
  });
  return async (companyId) => {
    const [names, coupons] = await Promise.all([
      properties.fetch(companyId),
      (async () => findCouponTemplates(db.lists(companyId), companyId))(),
    ]);
    return knownNames(names ?? [], coupons);
  };
}
