import { lockedContext } from '../../commerce/custom-fields/context.ts';
import type { ValueContext } from '../../commerce/custom-fields/values.ts';
import { removeImportedCustomers, restoreImportedCustomer } from '../../commerce/customers/service.ts';
import { removeImportedOrders } from '../../commerce/orders/service.ts';
import { restoreImportedMoney } from '../../commerce/payments/imported.ts';
import {
  removeImportedProducts,
  restoreImportedProduct,
  ungroupImported,
  type WrittenFamily,
} from '../../commerce/products/service.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import { type Db, sqlState, type Tx } from '../../db/pool.ts';
import { removeImported, restoreImported } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { holdOutbox } from '../../outbox/service.ts';
import type { RecordKind } from '../kinds/kind.ts';
import type { ImportRow } from '../queries.ts';
import { LeaseLost } from './open-import.ts';
import * as progress from './progress-queries.ts';

/** Journal entries that one transaction undoes. An entry holds the new records of a batch, or one changed record. */
const AT_ONCE = { entries: 20, records: 2_000 };

export interface UndoContext {
  companyId: number;
  /** The time stamp of what the import wrote. */
  stamp: Date;
  importId: number;
  actor: string;
  now: Date;
  suppressions: Suppressions;
  /** What restored custom values are checked against. */
  custom: ValueContext;
}

type Removal = (tx: Tx, companyId: number, ids: number[], stamp: Date) => Promise<number[]>;
type Restore = (tx: Tx, context: UndoContext, id: number, before: object) => Promise<boolean>;

/** Each function removes new records, and returns the ids of those that it kept because they were changed or used. */
const REMOVE: Record<RecordKind, Removal> = {
  contact: removeImported,
  customer: removeImportedCustomers,
  product: removeImportedProducts,
  order: removeImportedOrders,
};

/** The journal holds what each kind stored in it. */
type Before<Restoring extends (...given: never[]) => unknown> = Parameters<Restoring>[2] extends { before: infer Value }
  ? Value
  : never;

const RESTORE: Record<RecordKind, Restore> = {
  order: (tx, { companyId, stamp }, id, before) =>
    restoreImportedMoney(tx, companyId, { id, before: before as Before<typeof restoreImportedMoney>, stamp }),
  contact: (tx, { companyId, stamp, now, suppressions }, id, before) =>
    restoreImported(tx, companyId, { id, before: before as Before<typeof restoreImported>, stamp, now, suppressions }),
  customer: (tx, { companyId, custom, stamp, now }, id, before) =>
    restoreImportedCustomer(tx, companyId, {
      id,
      before: before as Before<typeof restoreImportedCustomer>,
      custom,
      stamp,
      now,
    }),
  product: (tx, { companyId, importId, custom, stamp, actor, now }, id, before) => {
    const { after, ...old } = before as Before<typeof restoreImportedProduct> & { after: number };
    return restoreImportedProduct(tx, companyId, { id, before: old, after, stamp, custom, actor, now, importId });
  },
};

/** An entry about variants that got a parent, beside those about the products themselves. */
type Grouping = Omit<WrittenFamily, 'members'>;

function familyIn(before: object | null): Grouping | null {
  return before !== null && 'family' in before ? (before.family as Grouping) : null;
}

const KEPT = 'was changed or used since the import and is kept';
const UNIQUE_VIOLATION = '23505';

/** Returns whether the record was restored. It is not if another record now has a value that must be unique. */
async function restore(
  tx: Tx,
  context: UndoContext,
  { kind, ids, before }: progress.JournalRow & { before: object },
): Promise<boolean> {
  try {
    return await tx.savepoint(() => RESTORE[kind](tx, context, ids[0]!, before));
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    return false;
  }
}

export interface UndoDeps {
  db: Db;
  shops: ShopCache;
  suppressions: Suppressions;
}

/** Undoes the last journal entries; returns false when none are left. Throws LeaseLost. */
export async function undoStep(
  { db, shops, suppressions }: UndoDeps,
  claim: progress.Claim,
  row: ImportRow,
  now: Date,
): Promise<boolean> {
  const { companyId } = claim;
  const shop = await shops.get(companyId);
  return db.tenantTx(companyId, async (tx) => {
    await holdOutbox(tx, companyId);
    const custom = await lockedContext(tx, shop);
    const context: UndoContext = {
      companyId,
      importId: row.id,
      stamp: row.started_at!,
      actor: row.actor,
      now,
      suppressions,
      custom,
    };
    const entries = await progress.takeJournal(tx, claim, AT_ONCE);
    if (entries.length === 0) return false;
    const kept: { kind: RecordKind; id: number }[] = [];
    let records = 0;
    for (const { before, ...entry } of entries) {
      const { kind, ids } = entry;
      const family = familyIn(before);
      if (family !== null) {
        const { stamp } = context;
        if (await ungroupImported(tx, companyId, { ...family, members: ids, custom, stamp, now })) continue;
        // Entries of later batches are about the same parent.
        if (family.created) {
          kept.push({ kind, id: family.parent });
          records++;
        }
        continue;
      }
      records += ids.length;
      if (before === null) {
        for (const id of await REMOVE[kind](tx, companyId, ids, context.stamp)) kept.push({ kind, id });
      } else if (!(await restore(tx, context, { ...entry, before }))) kept.push({ kind, id: ids[0]! });
    }
    const findings = await progress.countFindings(tx, claim);
    const done = { ...progress.NO_PROGRESS, position: row.position, undone: records - kept.length, kept: kept.length };
    if (!(await progress.advance(tx, claim, done, { findings: kept.length, journal: 0 }))) throw new LeaseLost();
    const found = kept.map(({ kind, id }) => ({ row: 0, field: null, reason: `${kind} ${id} ${KEPT}`, cells: null }));
    await progress.insertFindings(tx, claim, 'undo', findings, found);
    return true;
  });
}
