import { keysetPages } from '../../../db/keyset-pages.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import { found } from '../../../errors.ts';
import { JsonPages, Streamed, type StreamedFields } from '../../../lib/streamed.ts';
import { exportContact, findContactsOfCustomer } from '../../../marketing/contacts/service.ts';
import { cartsOfCustomer } from '../../carts/queries.ts';
import { notesOfCustomer } from '../../notes/service.ts';
import { ordersOfCustomer } from '../../orders/service.ts';
import { ledgerOfCustomer } from '../../payments/queries.ts';
import { refundsOfCustomer } from '../../payments/refunds/queries.ts';
import { savedMethodsOf } from '../../payments/saved/service.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { subscriptionsOfCustomer } from '../../subscriptions/service.ts';
import { addressesOfCustomer, passkeysOfCustomer, sessionsOfCustomer } from '../accounts/service.ts';
import type { Customer, CustomerExport } from '../schemas.ts';
import { findCustomerJson } from '../service.ts';
import { ledgerEntries } from './queries.ts';

/** Whether the reader has a scope beside customers:read. */
type May = (scope: Section) => boolean;
const SECTIONS = [
  'orders:read',
  'payments:read',
  'subscriptions:read',
  'carts:read',
  'loyalty:read',
  'marketing:read',
] as const;
type Section = (typeof SECTIONS)[number];

/** Exports everything stored about the customer on both sides that the reader may see; read while it is sent. Throws not_found. */
async function exportCustomer(db: Queryable, shop: Shop, id: number, may: May): Promise<Streamed<CustomerExport>> {
  const { companyId } = shop;
  const { text } = found(await findCustomerJson(db, companyId, id), 'customer');
  const customer = JSON.parse(text) as Customer;
  return new Streamed<CustomerExport>({
    customer,
    orders: may('orders:read') ? new JsonPages(jsonPages((after) => ordersOfCustomer(db, shop, id, after))) : [],
    order_ledger: may('payments:read')
      ? new JsonPages(keysetPages(db, 'asc', (page) => ledgerOfCustomer(companyId, id, page)))
      : [],
    refunds: may('payments:read')
      ? new JsonPages(keysetPages(db, 'asc', (page) => refundsOfCustomer(companyId, id, page)))
      : [],
    saved_payment_methods: may('payments:read') ? await savedMethodsOf(db, companyId, id) : [],
    subscriptions: may('subscriptions:read')
      ? new JsonPages(jsonPages((after) => subscriptionsOfCustomer(db, shop, id, after)))
      : [],
    carts: may('carts:read')
      ? new JsonPages(keysetPages(db, 'asc', (page) => cartsOfCustomer(companyId, id, page)))
      : [],
    loyalty_ledger: may('loyalty:read')
      ? new JsonPages(keysetPages(db, 'asc', (page) => ledgerEntries(companyId, id, page)))
      : [],
    addresses: new JsonPages(keysetPages(db, 'asc', (page) => addressesOfCustomer(companyId, id, page))),
    sessions: new JsonPages(keysetPages(db, 'asc', (page) => sessionsOfCustomer(companyId, id, page))),
    passkeys: new JsonPages(keysetPages(db, 'asc', (page) => passkeysOfCustomer(companyId, id, page))),
    // Those about orders among them are read with the orders.
    notes: may('orders:read')
      ? new JsonPages(keysetPages(db, 'asc', (page) => notesOfCustomer(companyId, id, page)))
      : [],
    ...(may('marketing:read') ? await marketingSide(db, companyId, customer) : NO_CONTACT),
    omitted: SECTIONS.filter((scope) => !may(scope)),
  });
}

type MarketingField = Exclude<
  keyof CustomerExport,
  | 'customer'
  | 'orders'
  | 'order_ledger'
  | 'refunds'
  | 'saved_payment_methods'
  | 'subscriptions'
  | 'carts'
  | 'loyalty_ledger'
  | 'addresses'
  | 'sessions'
  | 'passkeys'
  | 'notes'
  | 'omitted'
>;

const NO_CONTACT: Pick<StreamedFields<CustomerExport>, MarketingField> = {
  contact: null,
  consents: [],
  memberships: [],
  events: [],
  messages: [],
  activity: [],
  flow_runs: [],
  notifications: [],
  mails: [],
  form_submissions: [],
};

async function marketingSide(
  db: Queryable,
  companyId: number,
  { id, email }: Customer,
): Promise<Pick<StreamedFields<CustomerExport>, MarketingField>> {
  // Finds the contact by customer id first, because another contact may have the address.
  const [contactId] = await findContactsOfCustomer(db, companyId, id, email);
  if (contactId !== undefined) return (await exportContact(db, companyId, contactId)).fields;
  return NO_CONTACT;
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
    exportCustomer: async (companyId: number, id: number, may: May) =>
      exportCustomer(db.lists(companyId), await shops.get(companyId), id, may),
  };
}
