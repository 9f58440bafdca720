import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { found, notFound } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { requestIdOf } from '../../lib/tracing/correlation.ts';
import type { Refusal, RefusalQuery } from './contract.ts';
import * as queries from './queries.ts';

/** Events that one transaction replays, so that new events behind them wait only briefly. */
const REPLAY_LIMIT = 1_000;

export interface Replayed {
  replayed: number;
  remaining: number;
}

export type RefusalsService = ReturnType<typeof createRefusalsService>;

/** Events of the shop that the marketing side refused. */
export function createRefusalsService({ db }: { db: Db }) {
  return {
    listRefusals: (companyId: number, query: RefusalQuery) => listRefusals(db.lists(companyId), companyId, query),

    /** Throws not_found. */
    replayRefusal: (caller: Caller, id: number) => write(db, caller, (tx) => replayOne(tx, caller.companyId, id)),

    /** Replays the oldest refused events, at most 1,000. */
    replayRefusals: (caller: Caller) => write(db, caller, (tx) => replayOldest(tx, caller.companyId)),

    /** Deletes a refused event. Throws not_found. */
    async discardRefusal(caller: Caller, id: number): Promise<{ refusal_id: number; deleted: boolean }> {
      const { companyId, actor, now: at } = caller;
      return write(db, caller, async (tx) => {
        const event_type = found(await queries.deleteRefusal(tx, companyId, id), 'refused event');
        const target = `outbox_refusal:${id}`;
        const details = { event_type };
        await recordAuditEntry(tx, companyId, { at, actor, action: 'outbox_refusal.discard', target, details });
        return { refusal_id: id, deleted: true };
      });
    },
  };
}

/** Oldest first. */
export async function listRefusals(
  db: Queryable,
  companyId: number,
  query: RefusalQuery,
): Promise<Page<Refusal> & { rows: Refusal[] }> {
  const { page, perPage, ...bounds } = pageOf(query);
  const [rows, total] = await Promise.all([
    queries.listRefusals(db, companyId, bounds),
    queries.countRefusals(db, companyId),
  ]);
  return { rows: rows.map(refusalRecord), total, page, perPage };
}

export const countRefusals: (db: Queryable, companyId: number) => Promise<number> = queries.countRefusals;

/** Throws not_found. */
export async function replayOne(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ refusal_id: number; replayed: boolean }> {
  if ((await queries.putBack(tx, companyId, { id, limit: 1 })) === 0) throw notFound('refused event');
  return { refusal_id: id, replayed: true };
}

/** Replays the oldest refused events, at most REPLAY_LIMIT. */
export async function replayOldest(tx: Tx, companyId: number): Promise<Replayed> {
  const replayed = await queries.putBack(tx, companyId, { limit: REPLAY_LIMIT });
  return { replayed, remaining: await queries.countRefusals(tx, companyId) };
}

/** Deletes refused events of people who are erased. */
export async function eraseRefusals(
  tx: Tx,
  companyId: number,
  people: { external_id: string | null; email: string | null }[],
): Promise<void> {
  const customerIds = people.flatMap(({ external_id: id }) => (id === null ? [] : [id]));
  const emails = people.flatMap(({ email }) => (email === null ? [] : [email]));
  await queries.deleteRefusalsOf(tx, companyId, { customerIds, emails });
}

function refusalRecord(row: queries.RefusalRow): Refusal {
  return {
    refusal_id: row.id,
    event_type: row.topic,
    event_data: row.payload,
    occurred_at: formatTimestamp(row.occurred_at),
    reason: row.reason,
    refused_at: formatTimestamp(row.refused_at),
    webhooks_queued: row.deliveries_queued,
    request_id: requestIdOf(row.correlation),
  };
}
