import { createHmac } from 'node:crypto';
import { chmodSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY_PATTERN } from '../access/api-keys.ts';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded/embedded.ts';
import { lockDataFolder } from '../db/embedded/folder.ts';
import { temporaryDataFolder, tradeloom, tradeloomProcess } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const AT = ['--data-dir', dataDir];

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await tradeloom([...args, ...AT, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

/** Starts the database server of the data folder for the tests of a group. */
function withServer(): void {
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    server = await startEmbedded({ dataDir, log: () => {}, extraSettings: { fsync: 'off' } });
  });
  afterAll(() => server.stop());
}

describe('commands beside no running server', () => {
  test('make a company and its keys on a data folder that does not exist yet', async () => {
    const company = await json(
      'companies',
      'create',
      '--name',
      'Shop',
      '--currency',
      'eur',
      '--time-zone',
      'Europe/Berlin',
    );
    expect(company).toEqual({
      company_id: 1,
      name: 'Shop',
      currency: 'EUR',
      time_zone: 'Europe/Berlin',
      country: 'US',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      require_timestamp: false,
    });
    const key = await json(
      ...['keys', 'create', '--company', '1', '--name', 'till'],
      '--scope',
      'orders:read',
      '--scope',
      '*',
    );
    expect(key).toEqual({
      key: expect.stringMatching(API_KEY_PATTERN),
      key_id: 1,
      company_id: 1,
      name: 'till',
      scopes: ['orders:read', '*'],
      requests_per_hour: 1000,
      expires_at: null,
    });
  });

  test('make a store key for sites and a location', async () => {
    const [site, app] = ['https://shop.example.com', 'http://localhost:5173'];
    const key = await json(
      ...['store-keys', 'create', '--company', '1', '--name', 'website', '--location', '1'],
      ...['--origin', `${site}/`, '--origin', app],
    );
    expect(key).toMatchObject({
      key: expect.stringMatching(/^tl_pub_/),
      name: 'website',
      origins: [site, app],
      location_id: 1,
      revoked_at: null,
    });
    const { stdout } = await tradeloom(['store-keys', 'create', '--company', '1', '--name', 'app', ...AT]);
    expect(stdout).toMatch(/^Store key 2 \(app\) of company 1:\ntl_pub_[0-9A-Za-z]{46}\n$/);
  });

  test('in processes of their own share one server, several at once, and end', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        tradeloomProcess(['companies', 'create', '--name', `Shop ${i}`, '--json', ...AT]),
      ),
    );
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: '' }));
    const { companies } = await json<{ companies: { name: string }[] }>('companies', 'list');
    expect(companies.map(({ name }) => name).sort()).toEqual(['Shop', 'Shop 0', 'Shop 1', 'Shop 2', 'Shop 3']);
  });
});

describe('commands beside a running server', () => {
  withServer();

  test('make, list and reset the accounts of people', async () => {
    const made = await json('admins', 'create', '--email', 'Ada@Example.com', '--name', 'Ada');
    const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/admin\/sign-in\?token=[\w-]{43}$/);
    expect(made).toEqual({ id: 1, email: 'ada@example.com', role: 'owner', url: link });
    const first = expect.objectContaining({ company_id: 1, role: 'owner' });
    const { admins } = await json('admins', 'list');
    expect(admins).toMatchObject([{ email: 'ada@example.com', companies: expect.arrayContaining([first]) }]);
    expect(await json('admins', 'reset', '--email', 'ada@example.com')).toEqual({ id: 1, sessions: 0, url: link });
    const again = await tradeloom(['admins', 'create', '--email', 'ada@example.com', '--name', 'Ada', ...AT]);
    expect(again).toMatchObject({ code: 1, stderr: 'There is an account for ada@example.com already.\n' });
    const nobody = await tradeloom(['admins', 'reset', '--email', 'bob@example.com', ...AT]);
    expect(nobody).toMatchObject({ code: 1, stderr: 'No such account bob@example.com.\n' });
  });

  test('list, rotate and revoke keys, of which only the beginning is known', async () => {
    const rotated = await json('keys', 'rotate', '--key-id', '1', '--overlap', '2h');
    expect(rotated).toMatchObject({ key_id: 2, name: 'till', scopes: ['orders:read', '*'] });
    expect(await json('keys', 'revoke', '--key-id', '2')).toMatchObject({ key_id: 2, revoked_at: expect.any(String) });
    const { keys } = await json<{ keys: Record<string, unknown>[] }>('keys', 'list', '--company', '1');
    expect(keys).toMatchObject([
      { key_id: 1, expires_at: expect.any(String), revoked_at: null },
      { key_id: 2, revoked_at: expect.any(String) },
    ]);
    expect(JSON.stringify(keys)).not.toContain(rotated.key);
    const { stdout } = await tradeloom(['keys', 'list', '--company', '1', ...AT]);
    expect(stdout).toMatch(/^ID +NAME +BEGINS WITH .*\n1 +till +tl_live_\w{4} /);
  });

  test("sign a body with the company's secret or a given one, so that the webhook takes it", async () => {
    const file = join(dataDir, 'event.json');
    const body = '{"event_type":"customer_created"}\n';
    writeFileSync(file, body);
    const { headers } = await json<{ headers: Record<string, string> }>('webhooks', 'sign', '--company', '1', file);
    expect(headers).toMatchObject({ 'x-company-id': '1', 'webhook-signature': expect.stringMatching(/^v1,/) });
    const secret = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
    const given = await tradeloom(['webhooks', 'sign', '--secret', secret, file]);
    const [, timestamp, signature] = /^x-webhook-signature: t=(\d+),v1=([0-9a-f]{64})$/m.exec(given.stdout)!;
    expect(signature).toBe(createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'));
    expect((await tradeloom(['webhooks', 'sign', file])).code).toBe(2);
  });

  test('show and set whether a webhook must be signed with a timestamp', async () => {
    const settings = (...flags: string[]) => json('webhooks', 'settings', '--company', '1', ...flags);
    expect(await settings()).toEqual({ company_id: 1, require_timestamp: false });
    expect(await settings('--require-timestamp')).toEqual({ company_id: 1, require_timestamp: true });
    expect(await settings()).toEqual({ company_id: 1, require_timestamp: true });
    expect(await settings('--no-require-timestamp')).toEqual({ company_id: 1, require_timestamp: false });
  });

  test('report pending migrations and passed checks', async () => {
    expect(await json('migrate', '--check')).toEqual({ applied: [], pending: [] });
    const report = await json<{ ok: boolean; checks: object[] }>('doctor');
    expect(report.ok).toBe(true);
    expect(report.checks.length).toBeGreaterThan(10);
    expect((await tradeloom(['doctor', ...AT])).stdout).toContain('ok    The stored secrets open with the master key');
  });

  test('end their processes', async () => {
    const all = [
      ...[['admins', 'list'], ['sign-in'], ['sign-out'], ['sending', 'status'], ['outbox', 'refused'], ['doctor']],
      ...['keys list', 'imports list', 'webhooks settings'].map((words) => [...words.split(' '), '--company', '1']),
      ['export', '1', '--to', join(dataDir, 'export')],
    ];
    const outcomes = await Promise.all(all.map((args) => tradeloomProcess([...args, ...AT])));
    expect(outcomes.map(({ code, stderr }, i) => [all[i], code, stderr])).toEqual(all.map((args) => [args, 0, '']));
  });
});

describe('in a data folder without a database', () => {
  const empty = temporaryDataFolder();
  const nowhere = join(empty, 'nowhere');

  test.each([
    [['sign-in']],
    [['sign-out']],
    [['rotate-master-key']],
    [['admins', 'list']],
    [['admins', 'reset', '--email', 'ada@example.com']],
    [['companies', 'list']],
    [['keys', 'list', '--company', '1']],
    [['keys', 'create', '--company', '1', '--name', 'x', '--scope', '*']],
    [['store-keys', 'create', '--company', '1', '--name', 'x']],
    [['sending', 'status']],
    [['sending', 'confirm']],
    [['outbox', 'refused']],
    [['webhooks', 'settings', '--company', '1']],
    [['erasures', 'replay']],
    [['archive', '--to', join(nowhere, 'archive')]],
    [['export', '1', '--to', join(nowhere, 'export')]],
    [['migrate', '--check']],
    [['migrate', '--plan']],
    [['doctor']],
    [['backup', join(empty, 'backup.tar.zst')]],
    [['import', 'mailchimp', 'package.json', '--company', '1', '--consent', 'subscribed']],
  ])('%j is refused and creates nothing', async (args) => {
    for (const folder of args[0] === 'sign-in' ? [empty, nowhere] : [nowhere]) {
      const outcome = await tradeloom([...args, '--data-dir', folder]);
      const stderr = `There is no database in ${folder}: name its folder with --data-dir.\n`;
      expect(outcome).toMatchObject({ code: 1, stdout: '', stderr });
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  test('a command waits for the program that is making the database', async () => {
    const made = temporaryDataFolder();
    const unlock = lockDataFolder(made);
    const listed = tradeloom(['companies', 'list', '--json', '--data-dir', made]);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    cpSync(join(dataDir, 'postgres'), join(made, 'postgres'), { recursive: true });
    chmodSync(join(made, 'postgres'), 0o700);
    unlock();
    expect(await listed).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a command that fails', () => {
  withServer();

  test.each([
    [1, ['keys', 'create', '--company', '99', '--name', 'x', '--scope', '*', ...AT], 'No such company 99.\n'],
    [1, ['store-keys', 'create', '--company', '99', '--name', 'x', ...AT], 'No such company 99.\n'],
    [
      2,
      ['store-keys', 'create', '--company', '1', '--name', 'x', '--origin', 'example.com', ...AT],
      'example.com must be a scheme and a host, such as https://shop.example.com.\n',
    ],
    [1, ['keys', 'revoke', '--key-id', '99', ...AT], 'No such key 99.\n'],
    [
      2,
      ['keys', 'create', '--company', '1', '--name', 'x', '--scope', 'orders:eat', ...AT],
      'There is no scope orders:eat. There are products:read, products:write, orders:read, orders:write, customers:read, customers:write, subscriptions:read, subscriptions:write, loyalty:read, inventory:read, inventory:write, carts:read, carts:write, payments:read, payments:write, settings:read, settings:write, marketing:read, marketing:write, events:write and *.\n',
    ],
    [2, ['companies', 'create', '--name', ' ', ...AT], 'The name must have 1 to 255 characters.\n'],
    [2, ['companies', 'create', ...AT], "required option '--name <name>' not specified (see --help).\n"],
    [2, ['keys', 'revoke', '--key-id', 'seven'], 'seven is not a whole number.\n'],
    [
      2,
      ['keys', 'rotate', '--key-id', '1', '--overlap', 'soon'],
      'soon is not a duration. Use a form such as 90d or 12h.\n',
    ],
    [2, ['start', '--port', '70000'], 'PORT is 70000; it takes 0 to 65535.\n'],
    [1, ['keys', 'list', '--company', '99', ...AT], 'No such company 99.\n'],
    [
      2,
      ['keys', 'create', '--company', '1', '--name', 'x', '--scope', '*', '--expires', '0d', ...AT],
      '--expires must be a positive duration, such as 90d or 12h.\n',
    ],
    [2, ['start', '--role', 'cook'], '--role is "cook"; it takes api, worker, all.\n'],
    [2, ['start', '--test-clock', '--role', 'api'], '--test-clock requires --role all.\n'],
    [2, ['dance'], "unknown command 'dance' (see --help).\n"],
    [2, ['clock', 'advance', 'later'], 'later is not a duration. Use a form such as 45d or 12h.\n'],
    [
      1,
      ['clock', 'advance', '1d', '--port', '1', ...AT],
      'No server responds at http://127.0.0.1:1. Start one with --test-clock, or specify its --port.\n',
    ],
  ])('ends with %d and one sentence: %j', async (code, args, sentence) => {
    expect(await tradeloom(args)).toMatchObject({ code, stdout: '', stderr: sentence });
  });

  test('refuses a wrong proxy before it starts the database', async () => {
    const outcome = await tradeloom(['start', ...AT], { TRADELOOM_TRUSTED_PROXIES: 'foo' });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^TRADELOOM_TRUSTED_PROXIES names "foo"; it takes [^\n]+\.\n$/);
  });

  test('says how to fix a database that cannot be reached', async () => {
    const outcome = await tradeloom(['companies', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'The database cannot be reached (connect ECONNREFUSED 127.0.0.1:1): is PostgreSQL running, and DATABASE_URL right?\n',
    });
  });
});
