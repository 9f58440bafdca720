import type { Caller, IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { AppError } from '../../errors.ts';
import { replayOf } from '../idempotency.ts';
import type { Db, Tx } from '../pool.ts';
import { findResponses, idOf, storeResponses, tryLockKeys } from '../stored-responses.ts';
import type { Settled } from './batcher.ts';

/**
 * What the work on a batch returns: each member's outcome, and the statements sent but not yet awaited. Where it may
 * set members aside to run on their own, their outcome is null.
 */
export interface BatchWork<Out, SetAside extends null = never> {
  outcomes: (Settled<Out> | SetAside)[];
  pending: Promise<unknown>[];
}

/**
 * Leaves a statement to the code that awaits `pending`, which then receives its failure: until then it must not count
 * as an unhandled rejection. All statements sent after one that fails, fail too, COMMIT included.
 */
export function later(pending: Promise<unknown>[], statement: Promise<unknown>): void {
  statement.catch(() => {});
  pending.push(statement);
}

/**
 * Runs one transaction for a batch whose members may carry an Idempotency-Key. Keys with a stored response are
 * replayed; the responses of the others commit with their effects. A member whose twin is still running in another
 * transaction must not hold up the batch: it runs on its own through `alone` (which waits for the twin, see `write`).
 * Of two members with one key in the same batch the second gets the first's response. Writes of a person run on their
 * own as well: their audit log entry takes a lock on the company, for which the orders of its API keys must not wait.
 */
export async function runBatch<In extends { caller: Caller }, Out>(
  db: Db,
  companyId: number,
  items: In[],
  work: (tx: Tx, items: In[]) => Promise<BatchWork<Out, null>>,
  alone: (item: In) => Promise<Out>,
): Promise<Settled<Out | Promise<Out>>[]> {
  const shared = items.filter((item) => item.caller.audit === undefined);
  if (shared.length === items.length) return runShared(db, companyId, items, work, alone);
  const settled = shared.length === 0 ? [] : await runShared(db, companyId, shared, work, alone);
  const outcomeOf = new Map(shared.map((item, i) => [item, settled[i]!]));
  return items.map((item) => outcomeOf.get(item) ?? { ok: true, value: alone(item) });
}

async function runShared<In extends { caller: Caller }, Out>(
  db: Db,
  companyId: number,
  items: In[],
  work: (tx: Tx, items: In[]) => Promise<BatchWork<Out, null>>,
  alone: (item: In) => Promise<Out>,
): Promise<Settled<Out | Promise<Out>>[]> {
  const keyed = items.some((item) => item.caller.idempotency !== null);
  /** Without the members that run on their own. */
  const settled = new Map<In, Settled<Out>>();
  const stored = await db.tenantTx(companyId, async (tx) => {
    settled.clear();
    const fresh = keyed ? await withoutResponse(tx, companyId, items, settled) : items;
    const { outcomes, pending } = fresh.length > 0 ? await work(tx, fresh) : { outcomes: [], pending: [] };
    const responses: { ticket: IdempotencyTicket; response: StoredResponse }[] = [];
    fresh.forEach((item, i) => {
      const outcome = outcomes[i]!;
      if (outcome === null) return;
      settled.set(item, outcome);
      const ticket = item.caller.idempotency;
      const response = ticket === null ? null : responseOf(ticket, outcome);
      if (ticket !== null && response !== null) responses.push({ ticket, response });
    });
    const storing = responses.length > 0 ? [storeResponses(tx, companyId, responses, items[0]!.caller.now)] : [];
    await tx.commitAfter([...pending, ...storing]);
    return responses;
  });
  for (const { ticket } of stored) ticket.stored = true;
  // Only now: before the end of the transaction these would wait for its locks, and nobody would handle their failures.
  return items.map((item) => settled.get(item) ?? { ok: true, value: alone(item) });
}

function responseOf(ticket: IdempotencyTicket, outcome: Settled<unknown>): StoredResponse | null {
  if (outcome.ok) return ticket.render(outcome.value);
  return outcome.error instanceof AppError ? ticket.renderError(outcome.error) : null;
}

/** Returns the members whose key has no stored response yet. The others are settled with theirs. */
async function withoutResponse<In extends { caller: Caller }, Out>(
  tx: Tx,
  companyId: number,
  items: In[],
  settled: Map<In, Settled<Out>>,
): Promise<In[]> {
  const tickets = new Map(
    items.flatMap(({ caller: { idempotency } }) => (idempotency === null ? [] : [[idOf(idempotency), idempotency]])),
  );
  const [locked, found] = await Promise.all([
    tryLockKeys(tx, companyId, [...tickets.values()]),
    findResponses(tx, companyId, [...tickets.values()], items[0]!.caller.now),
  ]);
  const stored = new Map(found.map((row) => [idOf({ sentBy: row.sent_by, key: row.key }), row]));
  const claimed = new Set<string>();
  return items.filter((item) => {
    const ticket = item.caller.idempotency;
    if (ticket === null) return true;
    const id = idOf(ticket);
    const response = stored.get(id);
    if (response !== undefined) {
      settled.set(item, { ok: false, error: replayOf(response, ticket) });
      return false;
    }
    if (!locked.has(id) || claimed.has(id)) return false;
    claimed.add(id);
    return true;
  });
}
