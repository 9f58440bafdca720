import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { found, notFound } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../marketing/time.ts';
import type { Refusal, RefusalQuery } from './contract.ts';
import * as queries from './queries.ts';

/** What one transaction replays: the outbox stays short, and what follows in it waits no longer than a moment. */
const REPLAYED_AT_ONCE = 1_000;

export interface Replayed {
  replayed: number;
  remaining: number;
}

/** The oldest first. */
export async function listRefusals(
  db: Db,
  companyId: number,
  query: RefusalQuery,
): Promise<Page<Refusal> & { rows: Refusal[] }> {
  const { page, perPage } = pageOf(query);
  const [rows, total] = await Promise.all([
    queries.listRefusals(db, companyId, { skip: (page - 1) * perPage, take: perPage }),
    queries.countRefusals(db, companyId),
  ]);
  return { rows: rows.map(refusalRecord), total, page, perPage };
}

export const countRefusals: (db: Queryable, companyId: number) => Promise<number> = queries.countRefusals;

/** Throws not_found. */
export async function replayRefusal(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ refusal_id: number; replayed: boolean }> {
  return write(db, caller, (tx) => replayOne(tx, caller.companyId, id));
}

/** Throws not_found. */
export async function replayOne(
  tx: Tx,
  companyId: number,
  id: number,
): Promise<{ refusal_id: number; replayed: boolean }> {
  if ((await queries.putBack(tx, companyId, { id, limit: 1 })) === 0) throw notFound('refused event');
  return { refusal_id: id, replayed: true };
}

export async function replayRefusals(db: Db, caller: Caller): Promise<Replayed> {
  return write(db, caller, (tx) => replayIn(tx, caller.companyId));
}

/** Replays the oldest, as many as one transaction does. */
export async function replayIn(tx: Tx, companyId: number): Promise<Replayed> {
  const replayed = await queries.putBack(tx, companyId, { limit: REPLAYED_AT_ONCE });
  return { replayed, remaining: await queries.countRefusals(tx, companyId) };
}

/** Throws not_found. */
export async function discardRefusal(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ refusal_id: number; deleted: boolean }> {
  const { companyId, actor, now: at } = caller;
  return write(db, caller, async (tx) => {
    const event_type = found(await queries.deleteRefusal(tx, companyId, id), 'refused event');
    const deed = {
      at,
      actor,
      action: 'outbox_refusal.discard',
      target: `outbox_refusal:${id}`,
      details: { event_type },
    };
    await recordAuditEntry(tx, companyId, deed);
    return { refusal_id: id, deleted: true };
  });
}

/** Forgets what was refused about people who are erased. */
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
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createRefusalsService(deps: { db: Db }) {
  const { db } = deps;
  return {
    listRefusals: (companyId: number, query: RefusalQuery) => listRefusals(db.lists(companyId), companyId, query),
    replayRefusal: (caller: Caller, id: number) => replayRefusal(db.points(caller.companyId), caller, id),
    replayRefusals: (caller: Caller) => replayRefusals(db.points(caller.companyId), caller),
    discardRefusal: (caller: Caller, id: number) => discardRefusal(db.points(caller.companyId), caller, id),
  };
}

export type RefusalsService = ReturnType<typeof createRefusalsService>;
