import type { TestPerson } from '../people.ts';
import type { SeededCompany } from './seed.ts';

/** A person's request to an endpoint that is not available to API keys: its path with ids, and its body. */
type Given = { path: string; body?: unknown };

/** Valid requests for every writing endpoint of the admin app's own API, each with the records that it needs. */
export type AdminRequests = Record<
  string,
  (company: SeededCompany, owner: TestPerson, member: TestPerson) => Promise<Given>
>;

const at = (path: string, body?: unknown) => () => Promise.resolve(body === undefined ? { path } : { path, body });

let made = 0;
/** Creates a record as the owner in the admin app; returns its id. */
async function make({ shop }: SeededCompany, owner: TestPerson, path: string, body: unknown): Promise<number> {
  const response = await owner.ask('POST', `/${shop.company_id}${path}`, body);
  if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.id ?? response.body.data.id;
}

const invitation = () => ({ email: `invited-${++made}@example.com`, role: 'viewer' });
const key = () => ({ name: `Till ${++made}`, scopes: ['products:read'] });
const storeKey = () => ({ name: `Website ${++made}`, origins: ['https://shop.example.com'] });
const paymentAccount = () => ({
  provider: 'mollie',
  mode: 'test',
  name: `Mollie ${++made}`,
  secret_key: 'test_ofAShopThatSellsMugs0123456789',
});
/** The newest account: a company may have ten. */
const paymentAccountOf = async (company: SeededCompany, owner: TestPerson): Promise<number> => {
  const path = `/${company.shop.company_id}/payment-accounts`;
  const { payment_accounts } = (await owner.ask('GET', path)).body;
  const [last] = payment_accounts.slice(-1);
  return last === undefined ? make(company, owner, '/payment-accounts', paymentAccount()) : last.id;
};
const tagged = { filters: { search: 'nobody at all' }, tag: 'seen' };

/** Ends running ones first: a company may have three bulk actions at a time. */
async function bulk(company: SeededCompany, owner: TestPerson): Promise<number> {
  for (const worker of company.server.app.workers.filter(({ name }) => name === 'bulk-actions')) {
    while ((await worker.runOnce()) > 0);
  }
  return make(company, owner, '/contacts/tag-all', { filters: {}, tag: `walked ${++made}` });
}

export const ADMIN: AdminRequests = {
  'PATCH /members/{id}': async (_company, _owner, { id }) => ({ path: `/members/${id}`, body: { role: 'marketer' } }),
  'DELETE /members/{id}': async (_company, _owner, { id }) => ({ path: `/members/${id}` }),
  'DELETE /members/{id}/sessions': async (_company, _owner, { id }) => ({ path: `/members/${id}/sessions` }),
  'POST /invitations': async () => ({ path: '/invitations', body: invitation() }),
  'DELETE /invitations/{id}': async (company, owner) => ({
    path: `/invitations/${await make(company, owner, '/invitations', invitation())}`,
  }),
  'POST /keys': async () => ({ path: '/keys', body: key() }),
  'POST /keys/rotate/{id}': async (company, owner) => ({
    path: `/keys/rotate/${await make(company, owner, '/keys', key())}`,
    body: { overlap_hours: 1 },
  }),
  'DELETE /keys/{id}': async (company, owner) => ({ path: `/keys/${await make(company, owner, '/keys', key())}` }),
  'POST /store-keys': async () => ({ path: '/store-keys', body: storeKey() }),
  'PATCH /store-keys/{id}': async (company, owner) => ({
    path: `/store-keys/${await make(company, owner, '/store-keys', storeKey())}`,
    body: { origins: ['https://www.example.com'] },
  }),
  'DELETE /store-keys/{id}': async (company, owner) => ({
    path: `/store-keys/${await make(company, owner, '/store-keys', storeKey())}`,
  }),
  'POST /payment-accounts': async () => ({ path: '/payment-accounts', body: paymentAccount() }),
  'PATCH /payment-accounts/{id}': async (company, owner) => ({
    path: `/payment-accounts/${await paymentAccountOf(company, owner)}`,
    body: { name: `Mollie ${++made}` },
  }),
  'POST /payment-accounts/{id}/check': async (company, owner) => ({
    path: `/payment-accounts/${await paymentAccountOf(company, owner)}/check`,
  }),
  'DELETE /payment-accounts/{id}': async (company, owner) => ({
    path: `/payment-accounts/${await make(company, owner, '/payment-accounts', paymentAccount())}`,
  }),
  'POST /webhook-secrets/show/{id}': async ({ shop }, owner) => {
    const { body } = await owner.ask('GET', `/${shop.company_id}/webhook-secrets`);
    return { path: `/webhook-secrets/show/${body.secrets[0].id}` };
  },
  'POST /webhook-secrets/rotate': at('/webhook-secrets/rotate', {}),
  'POST /address-checks': at('/address-checks', { addresses: [{ address: 'https://127.0.0.1/', kind: 'link' }] }),
  'POST /views': async () => ({
    path: '/views',
    body: { list: 'orders', name: `View ${++made}`, search: 'status=paid' },
  }),
  'DELETE /views/{id}': async (company, owner) => ({
    path: `/views/${await make(company, owner, '/views', { list: 'orders', name: `View ${++made}`, search: 'status=paid' })}`,
  }),
  'POST /staff-notices/read': at('/staff-notices/read', { id: 1, before: true }),
  'PUT /staff-notices/choices': at('/staff-notices/choices', { kind: 'new_order', app: true, mail: true }),
  'POST /orders/ship-all': at('/orders/ship-all', { filters: { search: 'nobody' } }),
  'POST /products/archive-all': at('/products/archive-all', { filters: { search: 'nothing' } }),
  'POST /products/restore-all': at('/products/restore-all', { filters: { search: 'nothing' } }),
  'POST /contacts/tag-all': async (company, owner) => {
    await bulk(company, owner);
    return { path: '/contacts/tag-all', body: tagged };
  },
  'POST /contacts/untag-all': async (company, owner) => {
    await bulk(company, owner);
    return { path: '/contacts/untag-all', body: tagged };
  },
  'POST /bulk-actions/{id}/cancel': async (company, owner) => {
    await bulk(company, owner);
    await bulk(company, owner);
    return { path: `/bulk-actions/${await make(company, owner, '/products/archive-all', { filters: {} })}/cancel` };
  },
  'POST /bulk-actions/{id}/cancel-tagging': async (company, owner) => ({
    path: `/bulk-actions/${await bulk(company, owner)}/cancel-tagging`,
  }),
  'POST /bulk-actions/{id}/undo': async (company, owner) => {
    const id = await bulk(company, owner);
    await bulk(company, owner);
    return { path: `/bulk-actions/${id}/undo` };
  },
};
