import { keysetPages } from '../../../db/keyset-pages.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { found } from '../../../errors.ts';
import { JsonPages, Streamed, type StreamedFields } from '../../../lib/streamed.ts';
import { exportContact, findContactsOfCustomer } from '../../../marketing/contacts/service.ts';
import { notesOfCustomer } from '../../notes/service.ts';
import { ordersOfCustomer } from '../../orders/service.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { subscriptionsOfCustomer } from '../../subscriptions/service.ts';
import type { Customer, CustomerExport } from '../schemas.ts';
import { findCustomerJson } from '../service.ts';
import { ledgerEntries } from './queries.ts';

/** Exports everything stored about the customer on both sides; read while it is sent. Throws not_found. */
async function exportCustomer(db: Queryable, shop: Shop, id: number): Promise<Streamed<CustomerExport>> {
  const { companyId } = shop;
  const { text } = found(await findCustomerJson(db, companyId, id), 'customer');
  const customer = JSON.parse(text) as Customer;
  return new Streamed<CustomerExport>({
    customer,
    orders: new JsonPages(jsonPages((after) => ordersOfCustomer(db, shop, id, after))),
    subscriptions: new JsonPages(jsonPages((after) => subscriptionsOfCustomer(db, shop, id, after))),
    loyalty_ledger: new JsonPages(keysetPages(db, 'asc', (page) => ledgerEntries(companyId, id, page))),
    notes: new JsonPages(keysetPages(db, 'asc', (page) => notesOfCustomer(companyId, id, page))),
    ...(await marketingSide(db, companyId, customer)),
  });
}

type MarketingField = Exclude<
  keyof CustomerExport,
  'customer' | 'orders' | 'subscriptions' | 'loyalty_ledger' | 'notes'
>;

async function marketingSide(
  db: Queryable,
  companyId: number,
  { id, email }: Customer,
): Promise<Pick<StreamedFields<CustomerExport>, MarketingField>> {
  // Finds the contact by customer id first, because another contact may have the address.
  const [contactId] = await findContactsOfCustomer(db, companyId, id, email);
  if (contactId !== undefined) return (await exportContact(db, companyId, contactId)).fields;
  const none = { consents: [], memberships: [], events: [], messages: [], activity: [] };
  return { contact: null, ...none, flow_runs: [], notifications: [], mails: [], form_submissions: [] };
}

/** Yields pages of records as JSON; each page follows the last id of the previous one. */
async function* jsonPages(read: (after: number) => Promise<{ id: number }[]>): AsyncGenerator<string[]> {
  for (let after = 0; ; ) {
    const records = await read(after);
    if (records.length === 0) return;
    yield records.map((record) => JSON.stringify(record));
    after = records.at(-1)!.id;
  }
}

export type CustomerExports = ReturnType<typeof createCustomerExports>;

/** Separate from the customers service, since it reads resources that themselves depend on customers. */
export function createCustomerExports({ db, shops }: { db: Db; shops: ShopCache }) {
  return {
    exportCustomer: async (companyId: number, id: number) =>
      exportCustomer(db.lists(companyId), await shops.get(companyId), id),
  };
}
