import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawn, upload } from '../commerce/pictures/testing-pictures.ts';
import { adminEndpoints } from '../endpoints.ts';
import type { Endpoint } from '../http/api/endpoint.ts';
import { type TestResponse, testServer } from './harness.ts';
import { type TestPerson, testPerson } from './people.ts';
import { ADMIN } from './tenants/admin-requests.ts';
import { fingerprints } from './tenants/fingerprint.ts';
import { fill } from './tenants/requests.ts';
import { type SeededCompany, seedCompany } from './tenants/seed.ts';
import { WALKED } from './tenants/valid-requests.ts';
import { adminTexts } from './texts.ts';

/**
 * Every write of a person is in the audit log: each endpoint of the admin surface except GETs is called by a person, once while
 * the log refuses their entries, which must roll back the write, and once normally, which must leave one entry that names them.
 */
const server = testServer();
const rows = fingerprints(server);

/** Writes of people that leave no entry, and why. */
const UNAUDITED: Record<string, Endpoint['unaudited']> = {
  'POST /orders/calculate': 'changes nothing',
  'POST /promo-codes/validate': 'changes nothing',
  'POST /collections/count': 'changes nothing',
  'POST /customers/{id}/verify-password': 'changes nothing',
  'POST /segments/preview': 'changes nothing',
  'POST /templates/preview': 'changes nothing',
  'POST /templates/preview/{id}': 'changes nothing',
  'POST /address-checks': 'changes nothing',
  'POST /campaigns/preview/{id}': 'changes nothing',
  'POST /flows/test/{id}': 'changes nothing',
  'POST /sending-domains/warm-up/preview': 'changes nothing',
  'POST /views': 'concerns the person alone',
  'DELETE /views/{id}': 'concerns the person alone',
  'POST /staff-notices/read': 'concerns the person alone',
  'PUT /staff-notices/choices': 'concerns the person alone',
  'POST /imports/{id}/chunks': 'is a part of another',
};
/** Written before the entry, and shown to nobody before it: the bytes of a picture that is not ready. */
const BEFORE_THE_ENTRY: Record<string, string[]> = { 'POST /pictures': ['picture_contents', 'pictures'] };

interface Asked {
  name: string;
  endpoint: Endpoint;
  /** Creates what the request needs, and returns a function that sends it. */
  prepare(): Promise<() => Promise<TestResponse>>;
}

let company: SeededCompany;
let owner: TestPerson;
const lost: string[] = [];
const seen = new Set<string>();

beforeAll(async () => {
  const write = server.logTo.write.bind(server.logTo);
  server.logTo.write = (line: string) => {
    if (line.includes('went past the audit log')) lost.push(line);
    write(line);
  };
  company = await seedCompany(server, 'finch');
  owner = await testPerson(server, { [company.shop.company_id]: 'owner' });
  await server.rows(`
    create function refuse_entry() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$;
    create trigger refuse_entries before insert on audit_log for each row when (new.actor = 'admin:${owner.id}')
      execute function refuse_entry();
    alter table audit_log disable trigger refuse_entries`);
}, 30_000);

const inCompany = (path: string): string => `/${company.shop.company_id}${path}`;

const shared: Asked[] = WALKED.filter(({ endpoint }) => endpoint.method !== 'GET').flatMap(
  ({ side, endpoint, requests }) =>
    requests.map((request, i) => ({
      name: `${endpoint.method} ${endpoint.path}${i === 0 ? '' : ` (${i + 1})`}`,
      endpoint,
      async prepare() {
        const ids = { ...company.ids, ...(await request.before?.(company)) };
        const { method, path, body } = fill({ side, endpoint }, request, ids);
        return () => owner.ask(method, inCompany(path), body);
      },
    })),
);

const own: Asked[] = adminEndpoints
  .filter(({ method }) => method !== 'GET')
  .map((endpoint) => ({
    name: `${endpoint.method} ${endpoint.path}`,
    endpoint,
    async prepare() {
      const id = company.shop.company_id;
      if (endpoint.rawBody !== undefined) {
        const bytes = await drawn(8, 8);
        return () => upload(server, owner, id, bytes);
      }
      const member = await testPerson(server, { [id]: 'viewer' });
      const { path, body } = await ADMIN[`${endpoint.method} ${endpoint.path}`]!(company, owner, member);
      return () => owner.ask(endpoint.method, inCompany(path), body);
    },
  }));

interface Entry {
  id: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

const entriesAfter = (id: number): Promise<Entry[]> =>
  server.rows<Entry>(
    'select id, action, target, details from audit_log where company_id = $1 and id > $2 and actor = $3 order by id',
    [...[company.shop.company_id, id, `admin:${owner.id}`]],
  );
const lastEntry = async (): Promise<number> => {
  const [row] = await server.rows<{ id: string }>(
    'select coalesce(max(id), 0) as id from audit_log where company_id = $1',
    [company.shop.company_id],
  );
  return Number(row!.id);
};

it('leaves out what changes nothing, concerns the person alone or is a part of another write, and nothing else', () => {
  const marked = [...shared, ...own].filter(({ endpoint }) => endpoint.unaudited !== undefined);
  const named = marked.map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, endpoint.unaudited]);
  expect(Object.fromEntries(named)).toEqual(UNAUDITED);
  expect([shared.length > 90, own.length > 15]).toEqual([true, true]);
});

describe.each([...shared, ...own])('$name', ({ endpoint, prepare }) => {
  const name = `${endpoint.method} ${endpoint.path}`;
  const isAudited = endpoint.unaudited === undefined;

  it(isAudited ? 'leaves one entry, in the transaction of the write' : 'leaves no entry', async () => {
    server.clock.advance(1_000);
    await server.rows('update admin_sessions set confirmed_at = $1', [server.clock.now()]);
    const send = await prepare();
    if (isAudited) {
      const before = await rows.of(company.shop.company_id);
      await server.rows('alter table audit_log enable trigger refuse_entries');
      const refused = await send();
      await server.rows('alter table audit_log disable trigger refuse_entries');
      expect(refused.status, JSON.stringify(refused.body)).toBe(500);
      const after = await rows.of(company.shop.company_id);
      const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
      expect(changed.sort()).toEqual(BEFORE_THE_ENTRY[name] ?? []);
    }
    const last = await lastEntry();
    const { status, body } = await send();
    expect([endpoint.status, endpoint.alsoStatus], JSON.stringify(body)).toContain(status);
    const entries = await entriesAfter(last);
    expect(entries.map(({ action }) => action)).toHaveLength(isAudited ? 1 : 0);
    for (const { action, target } of entries) {
      seen.add(action);
      expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/);
      expect(target).toMatch(/^[a-z_]+(:.+)?$/);
    }
    expect(lost).toEqual([]);
  });
});

it('a key leaves none, and takes no lock of the log', async () => {
  const last = await lastEntry();
  const { status } = await company.shop.commerce('PATCH', `/products/${company.ids.product}`, { price: 9 });
  expect([status, await lastEntry()]).toEqual([200, last]);
});

it('has a text in each language for every action', () => {
  const cwd = fileURLToPath(new URL('../', import.meta.url));
  const source = globSync('{access,admin,cli,exports,marketing,messaging}/**/*.ts', { cwd }).filter(
    (file) => !/test/.test(file),
  );
  const written = source.flatMap((file) =>
    [...readFileSync(join(cwd, file), 'utf8').matchAll(/action: '([a-z_]+\.[a-z_.]+)'/g)].map(([, action]) => action!),
  );
  expect(written).toEqual(expect.arrayContaining(['person.totp.create', 'key.revoke', 'company.create']));
  expect(seen.size).toBeGreaterThan(80);
  const missing = [...new Set([...seen, ...written])].flatMap((action) => {
    const [noun = '', verb = ''] = action.split(/\.(.*)/s);
    return [`audit.noun.${noun}`, `audit.verb.${verb}`];
  });
  for (const texts of [adminTexts('en'), adminTexts('de')])
    expect(missing.filter((key) => !(key in texts))).toEqual([]);
});
