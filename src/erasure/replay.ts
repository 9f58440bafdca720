import type { Logger } from 'pino';
import { lockReservedOf } from '../commerce/carts/queries.ts';
import { releaseCarts } from '../commerce/carts/service.ts';
import { anonymiseCustomer, isOlder } from '../commerce/customers/service.ts';
import { removeSavedMethodsOf } from '../commerce/payments/saved/service.ts';
import { cancelOfErased } from '../commerce/subscriptions/service.ts';
import type { Queryable } from '../db/pool.ts';
import { findOlderContacts, removeContacts } from '../marketing/contacts/service.ts';
import type { Suppressions } from '../messaging/suppressions/suppressions.ts';
import { holdOutbox } from '../outbox/service.ts';
import { eraseWaitingEvents } from './customer-queries.ts';
import type { JournalEntry, JournalFile } from './journal-file.ts';
import { findErasuresSince, findUnknownKeys, insertErasure } from './journal-queries.ts';
import { type ErasureDeps, sealKeys } from './process.ts';

export interface ReplayDeps extends ErasureDeps {
  suppressions: Suppressions;
}

/**
 * Repeats erasures that the database does not know because it was restored from an older backup. Returns those that were begun; the
 * worker finishes them. Records created after an erasure with the same id belong to somebody else and stay.
 */
export async function replayErasures(deps: ReplayDeps, entries: readonly JournalEntry[]): Promise<ReplayedErasure[]> {
  const replayed: ReplayedErasure[] = [];
  for (const entry of await findUnreplayed(deps.db, entries)) {
    replayed.push({ companyId: entry.company_id, id: await replay(deps, entry) });
  }
  return replayed;
}

/** Returns the entries that the database does not know, without duplicates. */
export async function findUnreplayed(db: Queryable, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const open: JournalEntry[] = [];
  for (const [companyId, ofCompany] of Map.groupBy(entries, (entry) => entry.company_id)) {
    const unknown = await findUnknownKeys(db, companyId, [...new Set(ofCompany.map((entry) => entry.key))]);
    open.push(...ofCompany.filter((entry) => unknown.delete(entry.key)));
  }
  return open;
}

export interface ReplayedErasure {
  companyId: number;
  id: number;
}

function replay(deps: ReplayDeps, entry: JournalEntry): Promise<number> {
  const { company_id: companyId, customer_id: customerId, suppressed, key } = entry;
  const { suppressions } = deps;
  const at = new Date(entry.at);
  const caller = { actor: 'erasure journal', now: deps.clock.now() };
  return deps.db.tenantTx(companyId, async (tx) => {
    await holdOutbox(tx, companyId);
    const isTheirs = customerId !== null && (await isOlder(tx, companyId, customerId, at));
    const customer = isTheirs ? await anonymiseCustomer(tx, companyId, customerId, at) : undefined;
    if (customer !== undefined) {
      // Their payments had ended before the erasure, which is newer than the backup.
      const reserved = await lockReservedOf(tx, companyId, { customerId: customerId!, email: customer.email });
      await releaseCarts(tx, companyId, reserved, caller);
    }
    const contactIds = await findOlderContacts(tx, companyId, entry.contact_ids, at);
    const removed = await removeContacts(tx, companyId, suppressions, contactIds, at);
    if (isTheirs) {
      const emails = customer?.email == null ? [] : [customer.email.toLowerCase()];
      await eraseWaitingEvents(tx, companyId, { ids: [customerId], emails });
      await cancelOfErased(tx, companyId, customerId, caller);
      await removeSavedMethodsOf(tx, companyId, customerId, caller.now);
    }
    await suppressions.restore(tx, companyId, suppressed, at);
    const keys = [...removed.keys];
    if (customer !== undefined) keys.push({ ...customer, external_id: null });
    return insertErasure(
      tx,
      companyId,
      {
        key,
        customerId: isTheirs ? customerId : null,
        contactIds: [...removed.ids, ...removed.mergedIds],
        texts: sealKeys(deps.masterKey, keys),
        suppressed,
      },
      at,
    );
  });
}

/** Replays the journal file; the worker finishes the erasures. Returns how many were repeated. */
export async function replayFile(deps: ReplayDeps & { journalFile: JournalFile; log: Logger }): Promise<number> {
  const replayed = await replayErasures(deps, await deps.journalFile.read());
  if (replayed.length > 0) {
    deps.log.warn(
      { erasures: replayed.length, file: deps.journalFile.path },
      'erasures were repeated: the database was restored from an older backup',
    );
  }
  return replayed.length;
}

/** Rows of the last minutes are read again, since a transaction that commits late has an earlier `requested_at`. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Appends erasures of other processes to this process's journal file, so that each file has all of them. Returns how many were
 * missing.
 */
export function createJournalSync({
  db,
  clock,
  journalFile,
}: Pick<ErasureDeps, 'db' | 'clock'> & { journalFile: JournalFile }) {
  let written: Set<string> | undefined;
  let since = new Date(0);
  return async function sync(): Promise<number> {
    const now = clock.now();
    written ??= new Set((await journalFile.read()).map((entry) => entry.key));
    const rows = await findErasuresSince(db, since);
    const missing = rows.filter((row) => !written!.has(row.key));
    if (missing.length > 0) {
      // Requests may have written some of them meanwhile.
      const there = new Set((await journalFile.read()).map((entry) => entry.key));
      await journalFile.append(missing.filter((row) => !there.has(row.key)));
      for (const { key } of missing) written.add(key);
    }
    since = new Date(now.getTime() - OVERLAP_MS);
    return missing.length;
  };
}
