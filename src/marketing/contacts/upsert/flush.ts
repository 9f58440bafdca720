import { setImmediate } from 'node:timers/promises';
import { later } from '../../../db/batching/idempotent-batch.ts';
import { joinLists } from '../../lists/service.ts';
import { consentChanges, mayBeSuppressed } from '../consent/effects.ts';
import { insertConsents } from '../consent/history-queries.ts';
import { hasPreferencesOf } from '../consent/preferences.ts';
import { keysOf } from '../keys.ts';
import * as queries from '../queries.ts';
import { insertActivity } from '../timeline/activity-queries.ts';
import { preferenceChange, statusChange } from '../timeline/changes.ts';
import type { Slot } from './plan.ts';
import type { Run } from './run.ts';
import { applySuppressions, entriesOf, findSuppressed, suppressAddresses } from './suppressed-addresses.ts';

/** New contacts per statement. */
const SLICE = 500;

/**
 * Writes the effects of the upserts so far, and waits only for the ids of new contacts. Updates are sent before inserts, which may
 * need keys that the updates release.
 */
export async function flush(run: Run): Promise<void> {
  const { tx, companyId } = run;
  const slots = run.set.drain();
  const known = slots.filter((slot) => slot.id !== null);
  const fresh = slots.filter((slot) => slot.id === null);
  const moved = known.filter((slot) => slot.stored!.status !== slot.current.status);
  if (known.length > 0) {
    const rows = known.map((slot) => ({ id: slot.id!, ...slot.current }));
    later(run.pending, queries.updateContacts(tx, companyId, rows));
  }
  if (moved.length > 0) later(run.pending, insertActivity(tx, companyId, moved.map(statusChange)));
  const changedPreferences = known.filter(({ stored, current }) => !hasPreferencesOf(stored!, current));
  if (changedPreferences.length > 0) {
    later(run.pending, insertActivity(tx, companyId, changedPreferences.map(preferenceChange)));
  }
  const unchecked = slots.filter(({ stored, current }) => mayBeSuppressed(stored, current));
  const changes = slots.flatMap((slot) => entriesOf(slot, consentChanges(slot.stored, slot.current, slot.evidence)));
  suppressAddresses(run, slots);
  for (const slot of known) slot.stored = slot.current;
  for (const slot of unchecked) delete slot.suppressed;
  const inserted = fresh.length > 0 ? insert(run, fresh) : null;
  const [found] = await Promise.all([findSuppressed(run, unchecked), inserted]);
  changes.push(...applySuppressions(run, found));
  if (changes.length > 0) {
    const rows = changes.map(({ slot, row }) => ({ ...row, contactId: slot.id! }));
    later(run.pending, insertConsents(tx, companyId, rows));
  }
  if (run.joins.length === 0) return;
  const joins = run.joins.map(({ slot, membership, at, source }) => ({
    listId: membership.list_id,
    contactId: slot.id!,
    status: membership.status,
    consent: { at, source, ip: null },
    now: at,
  }));
  run.joins = [];
  later(run.pending, joinLists(tx, companyId, joins));
}

async function insert(run: Run, slots: Slot[]): Promise<void> {
  const contacts = slots.map((slot) => slot.current);
  // Awaited together with the earlier statements, so that the first error is the one that is thrown.
  const sent: ReturnType<typeof queries.insertContacts>[] = [];
  for (let at = 0; at < contacts.length; at += SLICE) {
    // The database writes one slice while the next is serialised.
    if (at > 0) await setImmediate();
    later(sent, queries.insertContacts(run.tx, run.companyId, contacts.slice(at, at + SLICE)));
  }
  const [inserted] = await Promise.all([Promise.all(sent), ...run.pending]);
  const ids = new Map(inserted.flat().map((row) => [keysOf(row)[0], row.id]));
  for (const slot of slots) {
    run.set.inserted(slot, ids.get(keysOf(slot.current)[0])!);
    slot.stored = slot.current;
  }
}
