import { removeMessageCoupons } from '../commerce/promotions/coupons/service.ts';
import { type Removal, removeById } from '../db/removal.ts';
import { rawSql, sql } from '../db/sql.ts';
import { removeHeldOut } from '../marketing/campaigns/service.ts';
import { removeEvents, removeMissedEvents } from '../marketing/events/service.ts';
import { removeLogs, removeRuns } from '../marketing/flows/service.ts';
import { removeMessages } from '../messaging/service.ts';
import { TABLES } from '../tables.ts';
import { KINDS, type Kind } from './kinds.ts';

/** Removals that look at more than one table. */
const SPECIAL: Partial<Record<Kind, readonly Removal[]>> = {
  events: [removeEvents, removeMissedEvents],
  messages: [removeMessages, removeMessageCoupons, removeHeldOut],
  flow_runs: [removeRuns],
  flow_log: [removeLogs],
};

const REMOVALS = new Map(KINDS.map((kind) => [kind, [...declaredRemovals(kind), ...(SPECIAL[kind] ?? [])]]));

/** Returns the functions that remove data of the kind, in order. */
export function removalsOf(kind: Kind): readonly Removal[] {
  return REMOVALS.get(kind)!;
}

function declaredRemovals(kind: Kind): Removal[] {
  return TABLES.flatMap(({ name, retention }) => {
    if (retention?.kind !== kind) return [];
    const { createdAt, finished, among } = retention;
    return removeById({
      table: name,
      made: createdAt,
      finished: (before) =>
        finished === undefined ? rawSql('true') : sql`${rawSql(finished.when)} and ${rawSql(finished.at)} < ${before}`,
      among,
    });
  });
}
