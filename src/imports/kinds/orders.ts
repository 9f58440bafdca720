import { contextOf } from '../../commerce/custom-fields/values.ts';
import type { ImportedCustomer } from '../../commerce/customers/service.ts';
import {
  findExternalIds,
  type ImportedOrder,
  lockKnownOrders,
  writeImportedOrders,
} from '../../commerce/orders/service.ts';
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
    const order = readOrder(group, context);
    return [{ key: order.order.external_id, record: order }];
  },

  async check(db, { companyId }, orders) {
    const ids = orders.map(({ order }) => order.external_id);
    const known = await findExternalIds(db, companyId, ids);
    return ids.map((id) => ({ outcome: known.has(id) ? 'unchanged' : 'created' }));
  },

  async write(tx, context, all) {
    const { companyId, actor, now } = context;
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
    const ids = await writeImportedOrders(tx, companyId, orders, { actor, now });
    const journal = [...products.journal, ...customers.journal];
    // Placed last, so that an undo processes orders first.
    if (ids.length > 0) journal.push({ kind: 'order', ids, before: null });
    const outcomes = all.map(({ order }): Outcome => {
      return { outcome: known.has(order.external_id) ? 'unchanged' : 'created' };
    });
    return { outcomes, journal };
  },
};

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
