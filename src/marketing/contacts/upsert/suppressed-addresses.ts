import { setImmediate } from 'node:timers/promises';
import { later } from '../../../db/batching/idempotent-batch.ts';
import type { SuppressedChannels } from '../../../messaging/suppressions/suppressions.ts';
import { consentChanges, consentsOf, unsubscribedAddresses, withSuppressed } from '../consent/effects.ts';
import type { ConsentRow } from '../consent/history-queries.ts';
import * as queries from '../queries.ts';
import { insertActivity } from '../timeline/activity-queries.ts';
import { suppressedChange } from '../timeline/changes.ts';
import type { Slot } from './plan.ts';
import type { Run } from './run.ts';

/** Suppresses the addresses of contacts that unsubscribed, and addresses that bounced. */
export function suppressAddresses(run: Run, slots: Slot[]): void {
  const { tx, companyId, suppressions, pending } = run;
  if (suppressions === null) return;
  const unsubscribed = slots.flatMap(({ stored, current }) => unsubscribedAddresses(stored, current));
  const bounced = run.bounced.map(({ email: address }) => {
    return { channel: 'email' as const, address, cause: 'bounce' as const, source: null };
  });
  const at = slots[0]?.current.updated_at ?? run.bounced[0]?.at;
  run.bounced = [];
  if (at === undefined || unsubscribed.length + bounced.length === 0) return;
  run.hasSuppressions = true;
  later(pending, suppressions.add(tx, companyId, [...unsubscribed, ...bounced], at));
}

/** The suppressions of the contacts' addresses. */
export async function findSuppressed(
  { tx, companyId, suppressions, hasSuppressions }: Run,
  slots: Slot[],
): Promise<[Slot, SuppressedChannels][]> {
  // Hashing takes 4 µs an address; a company without suppressions need not spend that on a large import.
  if (suppressions === null || !hasSuppressions || slots.length === 0) return [];
  const contacts = slots.map((slot) => slot.current);
  // Lets the earlier statements be sent first: 500 addresses are hashed (2 ms) while the database works.
  await setImmediate();
  const found = await suppressions.find(tx, companyId, contacts);
  return slots.map((slot, i) => [slot, found[i]!]);
}

/** A suppression of an address takes precedence over the contact's consents. Returns the entries of the consent history. */
export function applySuppressions(
  { tx, companyId, pending }: Run,
  found: [Slot, SuppressedChannels][],
): ConsentOfSlot[] {
  const changed = found.flatMap(([slot, suppressed]) => {
    const before = slot.current;
    const after = withSuppressed(before, suppressed);
    if (after === before) return [];
    slot.current = after;
    slot.stored = after;
    slot.suppressed = consentsOf(after);
    return [{ slot, before, after }];
  });
  if (changed.length === 0) return [];
  const rows = changed.map(({ slot, after }) => ({ id: slot.id!, ...after }));
  later(pending, queries.updateContacts(tx, companyId, rows));
  const moved = changed.filter(({ before, after }) => before.status !== after.status);
  if (moved.length > 0) later(pending, insertActivity(tx, companyId, moved.map(suppressedChange)));
  return changed.flatMap(({ slot, before, after }) => entriesOf(slot, consentChanges(before, after)));
}

/** An entry of the consent history; the contact's id may not be known yet. */
interface ConsentOfSlot {
  slot: Slot;
  row: Omit<ConsentRow, 'contactId'>;
}

export function entriesOf(slot: Slot, rows: Omit<ConsentRow, 'contactId'>[]): ConsentOfSlot[] {
  return rows.map((row) => ({ slot, row }));
}
