import { contextOf } from '../../commerce/custom-fields/values.ts';
import type { ImportedCustomer } from '../../commerce/customers/service.ts';
import {
  findExternalIds,
  type ImportedOrder,
  lockKnownOrders,
  writeImportedOrders,
} from '../../commerce/orders/service.ts';
import {
  addImported,
  changeOf,
  enterImported,
  findKnownMoney,
  type ImportedMoney,
  type MoneyChange,
} from '../../commerce/payments/imported.ts';
import { nameKey } from '../../commerce/products/imported/names.ts';
import type { ImportedProduct } from '../../commerce/products/imported/plan.ts';
import { writeImportedProducts } from '../../commerce/products/service.ts';

import type { Tx } from '../../db/pool.ts';
import { writeCustomers } from './customers.ts';
import type { ImportContext, ImportKind, JournalEntry, Outcome } from './kind.ts';
import { type OrderLine, type ReadOrder, readOrder } from './read-order.ts';

/** Past orders. Missing customers are created, and so are missing products, which are archived. */
export const ordersKind: ImportKind<ReadOrder> = {
  read: (group, context) => {
    const { record, note } = readOrder(group, context);
    return [{ key: record.order.external_id, record, note }];
  },

  async check(db, { companyId }, orders) {
    const ids = orders.map(({ order }) => order.external_id);
    const [known, ours] = await Promise.all([findExternalIds(db, companyId, ids), findKnownMoney(db, companyId, ids)]);
    return orders.map(({ order: { external_id }, money }) => {
      if (!known.has(external_id)) return { outcome: 'created' };
      const order = ours.get(external_id);
      return order === undefined ? { outcome: 'unchanged' } : outcomeOf(changeOf(order, money));
    });
  },

  async write(tx, context, all) {
    const { companyId, shop, actor, now } = context;
    const by = { actor, now };
    const known = await lockKnownOrders(
      tx,
      companyId,
      all.map(({ order }) => order.external_id),
    );
    const fresh = all.filter(({ order }) => !known.has(order.external_id));
    const products = await productsOf(tx, context, fresh);
    const customers = await customersOf(tx, context, fresh);
    const orders = fresh.map(
      ({ order, customer, lines }): ImportedOrder => ({
        ...order,
        customer_id: customers.ids.get(customer.email.toLowerCase())!,
        lines: lines.map(({ sku: _, ...line }, i) => ({ ...line, product_id: products.idOf(lines[i]!) })),
      }),
    );
    const ids = await writeImportedOrders(tx, companyId, orders, by);
    const paid = fresh.flatMap(({ order, money }) =>
      money === null ? [] : [{ order: { ...order, id: ids.get(order.external_id)! }, money }],
    );
    await enterImported(tx, shop, paid, by);
    const changes = await addMoney(
      tx,
      context,
      all.filter(({ order }) => known.has(order.external_id)),
    );
    const journal = [...products.journal, ...customers.journal, ...changes.journal];
    // Placed last, so that an undo processes orders first.
    if (ids.size > 0) journal.push({ kind: 'order', ids: [...ids.values()], before: null });
    const outcomes = all.map(({ order: { external_id } }): Outcome => {
      return known.has(external_id) ? changes.outcomeOf(external_id) : { outcome: 'created' };
    });
    return { outcomes, journal };
  },
};

/** Adds what the file says of the money of orders that the shop has, if an import made them. */
async function addMoney(
  tx: Tx,
  { companyId, shop, actor, now }: ImportContext,
  orders: ReadOrder[],
): Promise<{ outcomeOf: (externalId: string) => Outcome; journal: JournalEntry[] }> {
  const known = await findKnownMoney(
    tx,
    companyId,
    orders.map(({ order }) => order.external_id),
  );
  const outcomes = new Map<string, Outcome>();
  const given = new Map<string, { id: number; money: ImportedMoney }>();
  for (const { order, money } of orders) {
    const { external_id } = order;
    const one = known.get(external_id);
    if (one === undefined || money === null) continue;
    const change = changeOf(one, money);
    if (change.is === 'added') given.set(external_id, { id: one.id, money });
    outcomes.set(external_id, outcomeOf(change));
  }
  const done = await addImported(tx, shop, given, { actor, now });
  const journal: JournalEntry[] = [];
  for (const external_id of given.keys()) {
    const result = done.get(external_id);
    outcomes.set(external_id, result === undefined ? IN_USE : outcomeOf(result.change));
    if (result?.before) journal.push({ kind: 'order', ids: [result.id], before: result.before });
  }
  return { outcomeOf: (id) => outcomes.get(id) ?? { outcome: 'unchanged' }, journal };
}

const IN_USE: Outcome = {
  outcome: 'skipped',
  field: null,
  reason: 'the order was being changed: import the file again to record its payments',
};

const REFUSED_MONEY = {
  less_paid: 'less was paid than an earlier import says: the payments of the order are unchanged',
  less_refunded: 'less was refunded than an earlier import says: the payments of the order are unchanged',
  paid_here: 'the order has payments of its own: what the file says was paid is not recorded',
  refunded_here: 'more was refunded than is left of what was imported: the payments of the order are unchanged',
};

function outcomeOf(change: MoneyChange): Outcome {
  if (change.is === 'refused') {
    return { outcome: 'skipped', field: change.field, reason: REFUSED_MONEY[change.reason] };
  }
  return { outcome: change.is === 'added' ? 'updated' : 'unchanged' };
}

async function customersOf(
  tx: Tx,
  context: ImportContext,
  orders: ReadOrder[],
): Promise<{ ids: Map<string, number>; journal: JournalEntry[] }> {
  const byEmail = new Map<string, ImportedCustomer>();
  for (const { customer } of orders) {
    const key = customer.email.toLowerCase();
    if (!byEmail.has(key)) byEmail.set(key, customer);
  }
  const customers = [...byEmail.values()];
  if (customers.length === 0) return { ids: new Map(), journal: [] };
  const { outcomes, journal } = await writeCustomers(tx, context, customers, true);
  return { ids: new Map([...byEmail.keys()].map((email, i) => [email, outcomes[i]!.id])), journal };
}

/** Products that are made for lines have no custom values. */
const NOTHING_REQUIRED = { fields: [], references: [] };

/** Finds or creates the product of each line: by SKU, otherwise by its name. */
async function productsOf(
  tx: Tx,
  { companyId, importId, shop, actor, now }: ImportContext,
  orders: ReadOrder[],
): Promise<{ idOf: (line: OrderLine) => number; journal: JournalEntry[] }> {
  const keyOf = ({ sku, product_name }: OrderLine): string =>
    sku === null ? `n:${nameKey(product_name)}` : `s:${sku}`;
  const wanted = new Map<string, ImportedProduct>();
  for (const line of orders.flatMap((order) => order.lines)) {
    const key = keyOf(line);
    if (!wanted.has(key)) wanted.set(key, archivedProduct(line));
  }
  if (wanted.size === 0) return { idOf: () => 0, journal: [] };
  const custom = contextOf(shop, NOTHING_REQUIRED);
  const options = { onlyNew: true, anyOfName: true, custom, actor, now, importId };
  const { outcomes } = await writeImportedProducts(tx, companyId, [...wanted.values()], options);
  const ids = new Map([...wanted.keys()].map((key, i) => [key, outcomes[i]!.id!]));
  const created = outcomes.flatMap(({ id, outcome }) => (outcome === 'created' ? [id!] : []));
  const journal: JournalEntry[] = created.length === 0 ? [] : [{ kind: 'product', ids: created, before: null }];
  return { idOf: (line) => ids.get(keyOf(line))!, journal };
}

function archivedProduct({ sku, product_name, price }: OrderLine): ImportedProduct {
  return {
    fields: {},
    sku,
    slug: null,
    slug_text: product_name,
    name: product_name,
    description: null,
    price,
    stock: 0,
    refill: 0,
    categories: null,
    category_names: new Map(),
    images: null,
    status: 'archived',
  };
}
