import type { Caller } from '../../caller.ts';
import type { OrderFilters } from '../../commerce/orders/contract.ts';
import { countShippable, nextShippable, shipOrder } from '../../commerce/orders/service.ts';
import type { ProductFilters } from '../../commerce/products/contract.ts';
import { archiveProduct, countListed, nextListed, restoreProduct } from '../../commerce/products/service.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import type { ContactFilters } from '../../marketing/contacts/contract.ts';
import { changeContacts, countMatchingContacts, nextMatchingContacts } from '../../marketing/contacts/service.ts';
import type { ActionName } from './contract.ts';
import type { BulkInput, Step } from './queries.ts';
import { countChanged, nextChanged } from './undo-queries.ts';

/** The matching records after `after`, by id. */
export interface Range {
  after: number;
  upto: number;
  limit: number;
}

/** The company, the filters and the input of an action. */
interface Matching {
  companyId: number;
  filters: object;
  input: BulkInput;
  now: Date;
}

/** Changes one record. Throws AppError if it cannot be changed. */
export type ApplyOne = (tx: Tx, shops: ShopCache, caller: Caller, id: number) => Promise<void>;
/** Changes several records; returns those it changed and those that cannot be changed. */
export type ApplySet = (
  tx: Tx,
  caller: Caller,
  ids: number[],
  input: BulkInput,
) => Promise<{ changed: number[]; refused: Step['refused'] }>;

type Action = {
  /** Returns how many match, and their highest id. */
  count(db: Db, what: Matching): Promise<{ total: number; upto: number }>;
  next(tx: Tx, what: Matching, range: Range): Promise<number[]>;
} & ({ apply: ApplyOne } | { applySet: ApplySet });

/** Adds a tag to contacts without it, or removes it from those that have it. */
function tagging(add: boolean): Action {
  const tagged = ({ tag = '' }: BulkInput) => ({ tag, has: !add });
  return {
    count: (db, { companyId, filters, input, now }) =>
      db.tx((tx) => countMatchingContacts(tx, companyId, filters as ContactFilters, tagged(input), now)),
    next: (tx, { companyId, filters, input, now }, range) =>
      nextMatchingContacts(tx, companyId, filters as ContactFilters, tagged(input), { ...range, now }),
    applySet: (tx, caller, ids, { tag = '' }) => setTag(tx, caller, ids, { tag, add }),
  };
}

async function setTag(
  tx: Tx,
  { companyId, now }: Caller,
  ids: number[],
  { tag, add }: { tag: string; add: boolean },
): ReturnType<ApplySet> {
  const changes = ids.map((contactId) => ({ contactId, ...(add ? { addTags: [tag] } : { removeTags: [tag] }) }));
  const settled = await changeContacts(tx, companyId, changes, now);
  return {
    changed: settled.flatMap((one) => (one.ok && one.value.changed ? [one.value.contactId] : [])),
    refused: settled.flatMap((one, i) => (one.ok ? [] : [{ id: ids[i]!, message: messageOf(one.error) }])),
  };
}

const taggedBy = ({ of = 0, tag = '', added = true }: BulkInput) => ({ of, tag, added });

/** Reverts the changes of a tagging. */
const UNDO_TAGGING: Action = {
  count: (db, { companyId, input }) => countChanged(db, companyId, taggedBy(input)),
  next: (tx, { companyId, input }, range) => nextChanged(tx, companyId, taggedBy(input), range),
  applySet: (tx, caller, ids, { tag = '', added = true }) => setTag(tx, caller, ids, { tag, add: !added }),
};

/** Rethrows errors that do not concern the record itself, which rolls the transaction back. */
function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}

/** The actions on everything that matches; the endpoint of each has already validated its filters. */
export const BULK: Readonly<Record<ActionName, Action>> = {
  ship_orders: {
    count: (db, { companyId, filters }) => countShippable(db, companyId, filters as OrderFilters),
    next: (tx, { companyId, filters }, range) => nextShippable(tx, companyId, filters as OrderFilters, range),
    apply: shipOrder,
  },
  archive_products: {
    count: (db, { companyId, filters }) => countListed(db, companyId, filters as ProductFilters),
    next: (tx, { companyId, filters }, range) => nextListed(tx, companyId, filters as ProductFilters, range),
    apply: (tx, _shops, caller, id) => archiveProduct(tx, caller, id),
  },
  restore_products: {
    count: (db, { companyId, filters }) => countListed(db, companyId, archived(filters)),
    next: (tx, { companyId, filters }, range) => nextListed(tx, companyId, archived(filters), range),
    apply: (tx, _shops, caller, id) => restoreProduct(tx, caller, id),
  },
  tag_contacts: tagging(true),
  untag_contacts: tagging(false),
  undo_tagging: UNDO_TAGGING,
};

function archived(filters: ProductFilters): ProductFilters {
  return { ...filters, archived: true };
}
