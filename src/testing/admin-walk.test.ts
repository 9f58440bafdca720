import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../access/roles.ts';
import { adminEndpoints, commerceEndpoints, marketingEndpoints, personEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { testServer } from './harness.ts';
import { stranger, type TestPerson, testPerson } from './people.ts';

/** What holds for every endpoint of the admin surface; which there are is read from endpoints.ts. */
const server = testServer();
const READS = [
  'products',
  'inventory',
  'carts',
  'payments',
  'orders',
  'customers',
  'subscriptions',
  'loyalty',
  'settings',
].map((one) => `${one}:read`);
const WRITES = ['products', 'carts', 'payments', 'orders', 'customers', 'subscriptions', 'settings'].map(
  (one) => `${one}:write`,
);
/** Parts of a `write` scope that fulfilment has or lacks. */
const APART = ['inventory:write', 'customers:erase'];
const MARKETING = ['marketing:read', 'marketing:write', 'events:write'];

/** The roles table of docs/design/accounts-and-roles.md. */
const MAY: Record<Role, string[]> = {
  owner: [
    ...[...READS, ...WRITES, ...MARKETING, 'members:read', 'members:write', 'keys:read', 'keys:write', 'company:write'],
    ...['audit:read', 'health:read', 'imports:write', 'payments:accounts', ...APART],
  ],
  manager: [...READS, ...WRITES, ...MARKETING, ...APART, 'members:read', 'audit:read', 'health:read', 'imports:write'],
  marketer: [...READS, ...MARKETING],
  fulfilment: [...READS, 'orders:write', 'carts:write', 'inventory:write', 'customers:write'],
  viewer: [...READS, 'marketing:read'],
};
const ROLES = Object.keys(MAY) as Role[];

const inCompany = [...adminEndpoints, ...commerceEndpoints, ...marketingEndpoints].filter(
  ({ scope }) => scope !== 'public',
);
const cases = inCompany.map((endpoint) => ({ endpoint, name: `${endpoint.method} ${endpoint.path}` }));
let company: number;
let members: Record<Role, TestPerson>;
let foreigner: TestPerson;

beforeAll(async () => {
  company = (await server.company()).company_id;
  const elsewhere = (await server.company()).company_id;
  const made = await Promise.all(
    ROLES.map(async (role) => [role, await testPerson(server, { [company]: role })] as const),
  );
  members = Object.fromEntries(made) as Record<Role, TestPerson>;
  foreigner = await testPerson(server, { [elsewhere]: 'owner' });
});

/** Names a record that does not exist: the role is checked first. */
function pathOf({ path }: Endpoint): string {
  return `/${company}${path.replace(/\{\w+\}/g, '999999999')}`;
}

function ask(person: TestPerson, endpoint: Endpoint, headers?: Record<string, string>) {
  const body = endpoint.method === 'GET' ? undefined : {};
  return person.ask(endpoint.method, pathOf(endpoint), body, headers);
}

function reasonOf(body: { success?: boolean; error: string & { details: { reason: string } } }): string {
  return body.success === false ? body.error.details.reason : body.error;
}

it('has endpoints of all three', () => {
  expect(inCompany.length).toBeGreaterThan(150);
});

describe.each(cases)('$name', ({ endpoint }) => {
  const needed = endpoint.personScope ?? endpoint.scope;

  it('is open to the roles that the table names, and to no others', async () => {
    for (const role of ROLES) {
      const { status, body } = await ask(members[role], endpoint);
      const seen = status === 403 ? reasonOf(body) : status === 401 ? 'no session' : 'open';
      expect([role, seen]).toEqual([role, MAY[role].includes(needed) ? 'open' : 'forbidden_role']);
    }
  });

  it('returns 401 without a session, and 404 to people who are not members', async () => {
    const nobody = await ask(stranger(server), endpoint);
    expect([nobody.status, reasonOf(nobody.body)]).toEqual([401, 'missing_session']);
    const guess = stranger(server);
    guess.cookie = `tradeloom=${'A'.repeat(43)}`;
    expect((await ask(guess, endpoint)).status).toBe(401);
    expect((await ask(foreigner, endpoint)).status).toBe(404);
  });

  if (endpoint.method !== 'GET') {
    it('returns 400 to requests that no page of the admin app sent', async () => {
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'x-tradeloom-admin': '' },
      ] as Record<string, string>[]) {
        expect([headers, (await ask(members.owner, endpoint, headers)).status]).toEqual([headers, 400]);
      }
    });
  }
});

describe.each(personEndpoints.map((endpoint) => ({ endpoint, name: `${endpoint.method} ${endpoint.path}` })))(
  '$name',
  ({ endpoint }) => {
    const path = endpoint.path.replace(/\{\w+\}/g, '999999999');

    if (endpoint.scope === 'anyone' && endpoint.method === 'GET') {
      it('serves public pages without a session', async () => {
        expect((await stranger(server).ask('GET', path)).status).toBe(200);
      });
    }

    if (endpoint.scope === 'session') {
      it('returns 401 without a session', async () => {
        const body = endpoint.method === 'GET' ? undefined : {};
        const { status, body: told } = await stranger(server).ask(endpoint.method, path, body);
        expect([status, told.error]).toEqual([401, 'missing_session']);
      });
    }

    if (endpoint.method !== 'GET') {
      it('returns 400 to requests that no page of the admin app sent', async () => {
        const person = await testPerson(server, {});
        for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'x-tradeloom-admin': '' }] as Record<
          string,
          string
        >[]) {
          expect((await person.ask(endpoint.method, path, {}, headers)).status).toBe(400);
        }
        expect((await person.ask('GET', '/session')).status).toBe(200);
      });
    }
  },
);

it('asks for confirmation after 15 minutes, for dangerous actions only', async () => {
  const owner = await testPerson(server, { [company]: 'owner' });
  server.clock.advance(15 * 60_000);
  const asking: string[] = [];
  for (const { endpoint, name } of cases) {
    const { status, body } = await ask(owner, endpoint);
    if (status === 403 && reasonOf(body) === 'confirmation_required') asking.push(name);
  }
  expect(asking.sort()).toEqual([
    'DELETE /contacts/{id}',
    'DELETE /customers/{id}',
    'DELETE /invitations/{id}',
    'DELETE /keys/{id}',
    'DELETE /members/{id}',
    'DELETE /members/{id}/sessions',
    'DELETE /payment-accounts/{id}',
    'DELETE /sending-accounts/{id}',
    'DELETE /sending-domains/{id}',
    'GET /export',
    'PATCH /members/{id}',
    'PATCH /payment-accounts/{id}',
    'PATCH /sending-accounts/{id}',
    'PATCH /sending-settings',
    'PATCH /webhook-endpoints/{id}',
    'POST /contacts/{id}/merge',
    'POST /customers/{id}/merge',
    'POST /customers/{id}/password',
    'POST /invitations',
    'POST /keys',
    'POST /keys/rotate/{id}',
    'POST /payment-accounts',
    'POST /sending-accounts',
    'POST /sending-domains',
    'POST /suppressions/lift',
    'POST /webhook-endpoints',
    'POST /webhook-secrets/rotate',
    'POST /webhook-secrets/show/{id}',
  ]);
});

it('an API key opens none of it', async () => {
  const shop = await server.company();
  const headers = { 'x-api-key': shop.key, authorization: `Bearer ${shop.key}`, 'x-company-id': `${shop.company_id}` };
  const path = `/admin/api/${shop.company_id}/products`;
  expect((await server.request('GET', path, { headers })).status).toBe(401);
});

it('names the person in the audit log and in histories', async () => {
  const owner = members.owner;
  const made = await owner.ask('POST', `/${company}/tax-rules`, { name: 'VAT', country: 'DE', rate: 0.19 });
  expect(made.status).toBe(201);
  const { entries } = (await owner.ask('GET', `/${company}/audit?action=tax_rule.create`)).body;
  expect(entries[0]).toMatchObject({ actor: `admin:${owner.id}`, target: `tax_rule:${made.body.data.id}` });
  expect(entries[0].actor_name).toMatch(/^Person/);
});

it('keeps the response for an Idempotency-Key, of each person apart', async () => {
  const key = { 'idempotency-key': 'once' };
  const body = { name: 'Reduced VAT', country: 'DE', rate: 0.07 };
  const first = await members.owner.ask('POST', `/${company}/tax-rules`, body, key);
  const again = await members.owner.ask('POST', `/${company}/tax-rules`, body, key);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const other = await members.manager.ask('POST', `/${company}/tax-rules`, body, key);
  expect(other.body.data.id).not.toBe(first.body.data.id);
});

it('names the person as the source of a consent that they change', async () => {
  const { owner } = members;
  const { contact_id } = (await owner.ask('POST', `/${company}/contacts`, { email: 'left@example.com' })).body;
  expect((await owner.ask('POST', `/${company}/contacts/unsubscribe/${contact_id}`, {})).status).toBe(200);
  const rows = await server.rows('select source from contact_consents where company_id = $1 and contact_id = $2', [
    ...[company, contact_id],
  ]);
  expect(rows).toContainEqual({ source: `person:${owner.id}` });
});
