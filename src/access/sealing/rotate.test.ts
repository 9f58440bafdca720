import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { filesUnder, readText } from '../../testing/house/sources.ts';
import { testPerson } from '../../testing/people.ts';
import { fill } from '../../testing/tenants/requests.ts';
import { type SeededCompany, seedCompany } from '../../testing/tenants/seed.ts';
import { send, WALKED } from '../../testing/tenants/valid-requests.ts';
import { loadMasterKey, type MasterKey } from '../master-key.ts';
import { rotateKeyFile } from './rotate.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'rotated-key-'));
const server = testServer({ config: { dataDir } });
let company: SeededCompany;

beforeAll(async () => {
  company = await seedCompany(server, 'sparrow');
});

/** Returns the stored values that open with the key, by column, with their versions and texts. */
async function sealedValues(masterKey: MasterKey): Promise<Map<string, { version: number; text: string }[]>> {
  const columns = await server.rows<{ table: string; column: string; bytes: boolean }>(`
    select c.oid::regclass::text as table, quote_ident(attname) as column, atttypid = 'bytea'::regtype as bytes
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and attnum > 0 and not attisdropped
      and atttypid in ('bytea'::regtype, 'text'::regtype, 'jsonb'::regtype, 'json'::regtype)`);
  const found = new Map<string, { version: number; text: string }[]>();
  for (const { table, column, bytes } of columns) {
    // Version, nonce and tag are 29 bytes, which take 40 characters in base64.
    const values = await server.rows<{ value: Buffer | string }>(
      `select ${column}${bytes ? '' : '::text'} as value from ${table} where octet_length(${column}${bytes ? '' : '::text'}) >= 29`,
    );
    const candidates = values.flatMap(({ value }) =>
      typeof value === 'string'
        ? [...value.matchAll(/[A-Za-z0-9+/]{38,}={0,2}/g)].map(([text]) => Buffer.from(text, 'base64'))
        : [value],
    );
    for (const sealed of candidates) {
      try {
        const text = masterKey.open(sealed);
        const name = `${table}.${column}`;
        found.set(name, [...(found.get(name) ?? []), { version: sealed[0]!, text }]);
      } catch {
        // Not sealed, or not with this key.
      }
    }
  }
  return found;
}

/** Fills the columns that the seed and the companies' requests leave empty. */
async function sealTheRest(masterKey: MasterKey): Promise<void> {
  const { shop, make } = company;
  const settings = { bounces: { mailgun: { signing_key: 'key-of-sparrow-0123456789' } } };
  await make('marketing', 'PATCH', '/sending-settings', settings);
  const owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const account = { provider: 'mollie', mode: 'test', name: 'Mollie', secret_key: 'test_keyOfTheSparrow' };
  expect((await owner.ask('POST', `/${shop.company_id}/payment-accounts`, account)).status).toBe(201);
  await server.rows('update payments set next_action = $2 where company_id = $1', [
    shop.company_id,
    masterKey.seal('{"type":"redirect"}').toString('base64'),
  ]);
  await server.rows(
    `insert into person_totp (person_id, secret, created_at) select id, $1, now() from persons limit 1`,
    [masterKey.seal('totp')],
  );
  await server.rows(
    `insert into erasures (company_id, key, contact_ids, texts, suppressed, requested_at)
     values ($1, gen_random_uuid(), '{}', $2, '[]', now())`,
    [shop.company_id, masterKey.seal('[]')],
  );
}

it('re-encrypts every stored secret while the program runs, and omits no column', {
  timeout: 120_000,
}, async () => {
  const before = loadMasterKey(dataDir, null);
  for (const { name, side, endpoint, requests } of WALKED) {
    const [request] = requests;
    const ids = { ...company.ids, ...(await request!.before?.(company)) };
    await send(company, fill({ side, endpoint }, request!, ids), { 'idempotency-key': name });
  }
  await sealTheRest(before);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
  const sealed = await sealedValues(before);
  expect([...sealed.keys()].sort()).toEqual(listed);
  const texts = (values: typeof sealed) =>
    [...values].map(([name, all]) => [name, all.map(({ text }) => text).sort()]).sort();

  const { version, resealed } = await rotateKeyFile(server.app.db, dataDir, 0);
  expect([version, resealed]).toEqual([2, [...sealed.values()].flat().length]);
  const after = loadMasterKey(dataDir, null);
  const now = await sealedValues(after);
  expect(new Set([...now.values()].flat().map((one) => one.version))).toEqual(new Set([2]));
  expect(texts(now)).toEqual(texts(sealed));
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toMatch(/^2:\S{44},token:\S{44}\n$/);

  // The running program does not know yet: it opens what is sealed now, and seals with the new key.
  expect([...sealed.values()].flat().every(({ version: one }) => one === 1)).toBe(true);
  const { body } = await company.shop.marketing('POST', '/webhook-endpoints', { url: 'https://example.com/again' });
  expect(body.secret).toMatch(/^whsec_/);
  const [row] = await server.rows<{ version: number }>(
    'select get_byte(secret, 0) as version from webhook_endpoints order by id desc limit 1',
  );
  expect(row).toEqual({ version: 2 });
  expect(server.app.masterKey.tokenKey.equals(after.tokenKey)).toBe(true);
  const again = await rotateKeyFile(server.app.db, dataDir, 0);
  expect(again.version).toBe(3);
});

it('every sealed value is in a column of SEALED_COLUMNS', () => {
  const places: Record<string, number> = {};
  for (const path of filesUnder('src')) {
    if (
      !path.endsWith('.ts') ||
      /\.test\.ts$|\/testing\/|^src\/access\/(master-key\.ts|audit\.ts|sealing\/)/.test(path)
    )
      continue;
    const calls = readText(path).match(/\bmasterKey\.seal\(|(?<!function )\bseal(Secret|Keys)?\((?!secret: )/g) ?? [];
    if (calls.length > 0) places[path] = calls.length;
  }
  expect(places).toMatchInlineSnapshot(`
    {
      "src/access/service.ts": 1,
      "src/admin/second-factors/service.ts": 1,
      "src/admin/webhook-secrets/service.ts": 1,
      "src/commerce/payments/accounts/account.ts": 1,
      "src/commerce/payments/saved/saved-method.ts": 1,
      "src/commerce/payments/settling/settle.ts": 1,
      "src/erasure/process.ts": 1,
      "src/erasure/replay.ts": 1,
      "src/erasure/service.ts": 1,
      "src/exports/load.ts": 1,
      "src/http/api/handler.ts": 1,
      "src/messaging/feedback/bounce-settings.ts": 2,
      "src/messaging/sending-accounts/service.ts": 1,
      "src/messaging/sending-domains/service.ts": 1,
      "src/messaging/service.ts": 1,
      "src/messaging/settings/checked-settings.ts": 1,
      "src/outbox/endpoints/service.ts": 1,
    }
  `);
});
