import type { Caller, IdempotencyTicket, StoredResponse } from '../../caller.ts';
import { AppError } from '../../errors.ts';
import { replayOf } from '../idempotency.ts';
import type { Db, Tx } from '../pool.ts';
import { findResponses, idOf, storeResponses, tryLockKeys } from '../stored-responses.ts';
import type { Settled } from './batcher.ts';

/**
 * What the work on a batch gives back: each member's outcome, and the statements sent but not yet waited for. Where it may
 * set members aside, which then go their own way, their outcome is null.
 */
export interface BatchWork<Out, SetAside extends null = never> {
  outcomes: (Settled<Out> | SetAside)[];
  pending: Promise<unknown>[];
}

/**
 * Leaves a statement to whoever waits for `pending`, and hears of its failure there: until then it must not count as one that
 * nobody handles. All that is sent behind one that fails, fails too, COMMIT included.
 */
export function later(pending: Promise<unknown>[], statement: Promise<unknown>): void {
  statement.catch(() => {});
  pending.push(statement);
}

/**
 * One transaction for a batch whose members may carry an Idempotency-Key: keys with a stored response are replayed, the responses of the
 * others commit with their effects. A member whose twin is still running in another transaction must not hold up the
 * batch: it goes its own way through `alone` (which waits for the twin, see `write`). Of two members with one key in the
 * same batch the second gets the first's response. What a person writes goes its own way as well: the entry in the audit log takes a
 * lock of the company's, for which the orders of its keys must not wait.
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
  /** Without those that go their own way. */
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
  // Only now: until the transaction's end those would wait for its locks, and nobody would hear of their failures.
  return items.map((item) => settled.get(item) ?? { ok: true, value: alone(item) });
}

function responseOf(ticket: IdempotencyTicket, outcome: Settled<unknown>): StoredResponse | null {
  if (outcome.ok) return ticket.render(outcome.value);
  return outcome.error instanceof AppError ? ticket.renderError(outcome.error) : null;
}

/** The members whose key has no stored response yet. The others are settled with theirs. */
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
  const stored = new Map(found.map((row) => [idOf({ sentBy: row.asked_by, key: row.key }), row]));
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
