import { foldText } from '../../../db/fold.ts';
import type { Queryable, Tx } from '../../../db/pool.ts';
import type { CustomValues } from '../../custom-fields/definition.ts';
import { fittingValues, type ValueContext } from '../../custom-fields/values.ts';
import { lockAccounts } from '../../loyalty/service.ts';
import { holdCustomerFigures } from '../figures/figures.ts';
import { lockCustomers } from '../merge/queries.ts';
import type { CustomerRow } from '../queries.ts';
import * as queries from './queries.ts';

/** A customer read from a file. Null fields are absent from the file. */
export interface ImportedCustomer {
  email: string;
  first_name: string | null;
  last_name: string | null;
  phone: string | null;
  /** Applies to new customers; existing ones keep theirs. */
  accepts_marketing: boolean;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  country: string | null;
  /** Merged into the existing metadata. */
  metadata: Record<string, unknown>;
  /** Values that satisfy their definitions; merged into the existing ones. */
  custom: CustomValues;
  created_at: Date | null;
}

export type CustomerSnapshot = queries.CustomerSnapshot;

export interface CustomerOutcome {
  outcome: 'created' | 'updated' | 'unchanged';
  id: number;
  before: CustomerSnapshot | null;
  /** The customer's current state. */
  customer: Pick<CustomerRow, 'first_name' | 'last_name' | 'phone' | 'accepts_marketing'> & { email: string };
}

const FIELDS = ['first_name', 'last_name', 'phone', 'address', 'city', 'state', 'zip', 'country'] as const;

function keyOf({ email }: { email: string | null }): string {
  return email?.toLowerCase() ?? '';
}

function searchOf({ first_name, last_name, email, phone }: CustomerRow): string {
  return foldText(`${first_name} ${last_name} ${email ?? ''} ${phone ?? ''}`);
}

function newRow(given: ImportedCustomer): CustomerRow {
  const { created_at: _, ...row } = given;
  return { ...row, first_name: given.first_name ?? '', last_name: given.last_name ?? '' };
}

/** Returns the customer with the file's values; null if nothing changes. */
function changedRow(given: ImportedCustomer, old: CustomerSnapshot): CustomerRow | null {
  const { id: _, created_at: __, updated_at: ___, ...row } = old;
  const next: CustomerRow = { ...row, metadata: { ...old.metadata, ...given.metadata } };
  next.custom = { ...old.custom, ...given.custom };
  let changed = Object.entries(given.metadata).some(([name, value]) => old.metadata[name] !== value);
  changed ||= JSON.stringify(next.custom) !== JSON.stringify(old.custom);
  for (const field of FIELDS) {
    const value = given[field];
    if (value === null || value === old[field]) continue;
    next[field] = value;
    changed = true;
  }
  return changed ? next : null;
}

interface Options {
  onlyNew: boolean;
}

/** Returns what `writeImportedCustomers` would do. */
export async function checkImportedCustomers(
  db: Queryable,
  companyId: number,
  customers: ImportedCustomer[],
  { onlyNew }: Options,
): Promise<CustomerOutcome['outcome'][]> {
  const stored = await queries.findSnapshots(db, companyId, { emails: customers.map(keyOf) });
  const byEmail = new Map(stored.map((one) => [keyOf(one), one]));
  return customers.map((customer) => {
    const old = byEmail.get(keyOf(customer));
    if (old === undefined) return 'created';
    return onlyNew || changedRow(customer, old) === null ? 'unchanged' : 'updated';
  });
}

/** Creates and updates customers, in a constant number of statements. Their e-mail addresses must be distinct. */
export async function writeImportedCustomers(
  tx: Tx,
  companyId: number,
  customers: ImportedCustomer[],
  { onlyNew, now }: Options & { now: Date },
): Promise<CustomerOutcome[]> {
  const stored = await queries.findSnapshots(tx, companyId, { emails: customers.map(keyOf) }, true);
  const byEmail = new Map(stored.map((one) => [keyOf(one), one]));
  const fresh: queries.NewCustomer[] = [];
  const changed: (CustomerRow & { id: number; search: string })[] = [];
  const outcomes = customers.map((customer): CustomerOutcome => {
    const old = byEmail.get(keyOf(customer));
    const row = old === undefined ? newRow(customer) : onlyNew ? null : changedRow(customer, old);
    if (old === undefined) fresh.push({ ...row!, search: searchOf(row!), created_at: customer.created_at ?? now });
    else if (row !== null) changed.push({ ...row, id: old.id, search: searchOf(row) });
    const { first_name, last_name, phone, accepts_marketing } = row ?? old!;
    return {
      outcome: old === undefined ? 'created' : row === null ? 'unchanged' : 'updated',
      id: old?.id ?? 0,
      before: row === null ? null : (old ?? null),
      customer: { email: old?.email ?? customer.email, first_name, last_name, phone, accepts_marketing },
    };
  });
  if (changed.length > 0) await queries.updateCustomers(tx, companyId, changed, now);
  if (fresh.length > 0) {
    const ids = await queries.insertCustomers(tx, companyId, fresh, now);
    for (const outcome of outcomes) if (outcome.outcome === 'created') outcome.id = ids.get(keyOf(outcome.customer))!;
  }
  return outcomes;
}

/** Removes customers that an import created at `stamp` and that are unchanged and unused. Returns the ids that are left. */
export async function removeImportedCustomers(
  tx: Tx,
  companyId: number,
  ids: number[],
  stamp: Date,
): Promise<number[]> {
  // Locks in the order of a merge.
  const there = [...(await lockCustomers(tx, companyId, ids)).keys()];
  if (there.length === 0) return ids;
  await lockAccounts(tx, companyId, there);
  // Each customer's figures are deleted too, and one statement of the fold may write those of many customers in another order.
  await holdCustomerFigures(tx);
  const gone = new Set(await queries.deleteUntouched(tx, companyId, there, stamp));
  return ids.filter((id) => !gone.has(id));
}

/** Restores the customer as before the import, unless it was changed since. Returns whether it was restored. */
export async function restoreImportedCustomer(
  tx: Tx,
  companyId: number,
  {
    id,
    before,
    custom,
    stamp,
    now,
  }: {
    id: number;
    before: Omit<CustomerSnapshot, 'custom'> & { custom?: CustomValues };
    custom: ValueContext;
    stamp: Date;
    now: Date;
  },
): Promise<boolean> {
  const [current] = await queries.findSnapshots(tx, companyId, { emails: [], ids: [id] }, true);
  if (current === undefined || current.updated_at.getTime() !== stamp.getTime()) return false;
  // If the same import wrote the earlier state too, an earlier journal entry is about that and needs its stamp.
  const isOwn = new Date(before.updated_at).getTime() === stamp.getTime();
  // One that was stored before customers had custom fields has none; definitions may have changed since.
  const values = fittingValues(custom, 'customer', before.custom ?? current.custom);
  const row = { ...before, custom: values, id };
  await queries.updateCustomers(tx, companyId, [{ ...row, search: searchOf(row) }], isOwn ? stamp : now);
  return true;
}
