import type { Settled } from '../../../db/batching/batcher.ts';
import type { BatchWork } from '../../../db/batching/idempotent-batch.ts';
import type { Tx } from '../../../db/pool.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { joinStatus, type Membership } from '../../lists/membership.ts';
import { findListSettings } from '../../lists/service.ts';
import { mayBeSuppressed, unsubscribedAddresses } from '../consent/effects.ts';
import { hasConsentsOf } from '../contact.ts';
import { findCompetingCustomers } from '../customers/competing-customers.ts';
import { keysOf } from '../keys.ts';
import { mergeInto } from '../merge/merge.ts';
import type { ContactUpsert } from './contact-upsert.ts';
import { flush } from './flush.ts';
import { contactKeys, lockKeysInOrder } from './key-locks.ts';
import { conflict, type Plan } from './plan.ts';
import { findMembershipsByKeys, hasSuppressions, lockContactsByKeys } from './queries.ts';
import type { BulkUpsertOptions, Run, UpsertOutcome } from './run.ts';
import { WorkingSet } from './working-set.ts';

/**
 * Applies upserts to contacts in the given order and settles each on its own: a rejected one (AppError) changes nothing and does
 * not affect the others. Keys are locked before rows, and both in the same order everywhere: bulk upserts do not deadlock, and no
 * other transaction can assign a locked key to a contact. The number of statements is constant, except for merges and for keys that
 * move between contacts of the set. The caller must wait for `pending`.
 */
export async function sendBulkUpsert(
  tx: Tx,
  companyId: number,
  upserts: ContactUpsert[],
  options: BulkUpsertOptions,
): Promise<BatchWork<UpsertOutcome>> {
  const run = await startRun(tx, companyId, upserts, options);
  const settled: Settled<() => UpsertOutcome>[] = [];
  for (const upsert of upserts) {
    try {
      settled.push({ ok: true, value: await applyUpsert(run, upsert) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled.push({ ok: false, error });
    }
  }
  await flush(run);
  const outcomes = settled.map(
    (outcome): Settled<UpsertOutcome> => (outcome.ok ? { ok: true, value: outcome.value() } : outcome),
  );
  return { outcomes, pending: run.pending };
}

/** The same, and waits until everything is written. */
export async function bulkUpsert(
  tx: Tx,
  companyId: number,
  upserts: ContactUpsert[],
  options: BulkUpsertOptions,
): Promise<Settled<UpsertOutcome>[]> {
  const { outcomes, pending } = await sendBulkUpsert(tx, companyId, upserts, options);
  await Promise.all(pending);
  return outcomes;
}

/** The keys of the patch, and of the customers' contacts that are merged into its contact. */
function keysOfUpsert({ patch, absorbs = [] }: ContactUpsert): string[] {
  return [...keysOf(patch), ...absorbs.flatMap((id) => keysOf({ external_id: id }))];
}

async function startRun(tx: Tx, companyId: number, upserts: ContactUpsert[], options: BulkUpsertOptions): Promise<Run> {
  const { withLists, suppressions, refusesMerges = false } = options;
  const keys = [...new Set(upserts.flatMap(keysOfUpsert))].sort();
  const listIds = [...new Set(upserts.flatMap((upsert) => upsert.listIds ?? []))];
  // Sent together. The database runs them one after the other; each sees what was committed before it starts.
  const wanted = contactKeys(upserts);
  const [, isSuppressing, rows, memberships, settings] = await Promise.all([
    lockKeysInOrder(tx, companyId, keys),
    hasSuppressions(tx, companyId),
    lockContactsByKeys(tx, companyId, wanted),
    withLists ? findMembershipsByKeys(tx, companyId, wanted) : [],
    listIds.length === 0 ? [] : findListSettings(tx, companyId, listIds),
  ]);
  const listsOf = Map.groupBy(memberships, (membership) => membership.contact_id);
  const set = new WorkingSet(await findCompetingCustomers(upserts, rows, options.findCustomers));
  for (const { id, ...contact } of rows) {
    const lists = listsOf.get(id)?.map(({ list_id, status }) => ({ list_id, status })) ?? [];
    set.load(id, contact, lists);
  }
  const lists = new Map(settings.map((list) => [list.id, list]));
  return {
    tx,
    companyId,
    suppressions,
    refusesMerges,
    hasSuppressions: isSuppressing,
    set,
    lists,
    joins: [],
    bounced: [],
    pending: [],
  };
}

/** Returns the outcome as a function, since the id of a new contact is known only after `flush`. */
async function applyUpsert(run: Run, upsert: ContactUpsert): Promise<() => UpsertOutcome> {
  const { set } = run;
  let plan = set.plan(upsert);
  if (run.refusesMerges && plan.losers.length > 0) throw conflict(upsert.patch, plan.losers[0]!);
  requireListsExist(run, upsert);
  set.release(plan);
  if (plan.losers.length > 0 || set.needsReleased(plan) || mustFlushFirst(run, plan)) {
    await flush(run);
    // The contacts may have changed: `flush` may have applied suppressions to them.
    plan = set.plan(upsert);
  }
  if (plan.losers.length > 0) {
    await Promise.all(run.pending);
    await mergeInto(run.tx, run.companyId, plan, upsert.now);
  }
  const created = plan.slot === null;
  const before = plan.slot?.current ?? null;
  const changed = created || plan.next !== plan.slot?.current;
  const slot = set.take(plan);
  if (upsert.patch.consent !== undefined) slot.evidence = { ...slot.evidence, ...upsert.patch.consent };
  if (upsert.patch.status === 'bounced' && slot.current.email !== null)
    run.bounced.push({ email: slot.current.email, at: upsert.now });
  const joins = joinsOf(run, slot.lists, upsert);
  if (joins.length > 0) {
    for (const membership of joins)
      run.joins.push({ slot, membership, at: upsert.now, source: upsert.patch.consent_source ?? 'api' });
    const joined = new Set(joins.map((membership) => membership.list_id));
    slot.lists = [...slot.lists.filter((membership) => !joined.has(membership.list_id)), ...joins].sort(
      (a, b) => a.list_id - b.list_id,
    );
  }
  const { current, lists } = slot;
  return () => {
    const contact = slot.suppressed === undefined ? current : { ...current, ...slot.suppressed };
    const suppressed = slot.suppressed !== undefined;
    return { contactId: slot.id!, contact, lists, created, changed: changed || joins.length > 0, before, suppressed };
  };
}

/**
 * Whether the upsert would overwrite an effect of an earlier one that is not written yet: an unsubscription that is not stored for its
 * address, or a new address that has not been checked for suppression.
 */
function mustFlushFirst({ set, hasSuppressions, suppressions }: Run, { slot, next }: Plan): boolean {
  if (suppressions === null || slot === null || !set.isUnwritten(slot)) return false;
  const { stored, current } = slot;
  if (next.email === current.email && next.phone === current.phone && hasConsentsOf(next, current)) return false;
  return unsubscribedAddresses(stored, current).length > 0 || (hasSuppressions && mayBeSuppressed(stored, current));
}

function requireListsExist(run: Run, upsert: ContactUpsert): void {
  const unknown = upsert.listIds?.find((listId) => !run.lists.has(listId));
  if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
}

/** The memberships that the upsert changes. */
function joinsOf(run: Run, current: Membership[], upsert: ContactUpsert): Membership[] {
  const joins: Membership[] = [];
  for (const listId of new Set(upsert.listIds)) {
    const was = current.find((membership) => membership.list_id === listId)?.status;
    const status = joinStatus(was, run.lists.get(listId)!.double_opt_in);
    if (status !== was) joins.push({ list_id: listId, status });
  }
  return joins;
}
