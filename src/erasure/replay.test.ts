import { appendFile, cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stopServer } from '../db/embedded/process.ts';
import type { TestBody } from '../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const EVENTS = 5_000;

async function json(...args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

const start = (): Promise<Program> => startProgram(['--empty', '--data-dir', dataDir]);

test('an erasure survives kill -9 and the restore of an older backup', {
  timeout: 300_000,
}, async () => {
  let program = await start();
  const { company_id: company } = await json('companies', 'create', '--name', 'Shop');
  const { key } = await json(
    'keys',
    'create',
    '--company',
    `${company}`,
    '--name',
    'x',
    '--scope',
    '*',
    '--requests-per-hour',
    '0',
  );
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: TestBody }> => {
    const headers = {
      'x-api-key': key,
      authorization: `Bearer ${key}`,
      'x-company-id': `${company}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await fetch(program.origin + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  const customer = async (name: string): Promise<number> => {
    const input = { email: `${name}@example.com`, first_name: name, accepts_marketing: true };
    return (await call('POST', '/commerce/v1/customers', input)).body.data.id;
  };
  const contactOf = async (name: string): Promise<TestBody> => {
    const { body } = await call('GET', `/marketing/v1/contacts?search=${name}`);
    return body.contacts[0];
  };
  const [gone, stays] = [await customer('goneperson'), await customer('staysperson')];
  await expect.poll(() => contactOf('goneperson')).toBeDefined();
  const { contact_id: contact } = await contactOf('goneperson');
  for (let n = 0; n < EVENTS; n += 500) {
    const events = Array.from({ length: 500 }, (_, i) => ({
      event_type: 'product_viewed',
      event_data: { email: 'goneperson@example.com', product_id: `${n + i}`, product_name: 'goneperson' },
    }));
    await call('POST', '/marketing/v1/events/batch', { events });
  }
  // They were paying for a cart when the backup was made.
  const commerce = async (method: string, path: string, body?: object) =>
    (await call(method, `/commerce/v1${path}`, body)).body.data;
  const product = await commerce('POST', '/products', { name: 'Tea', price: 10, stock_qty: 5 });
  const method = await commerce('POST', '/payment-methods', { kind: 'bank_transfer', name: 'Transfer' });
  const cart = await commerce('POST', '/carts', {
    lines: [{ product_id: product.id, qty: 2 }],
    customer_id: gone,
    shipping_address: '1 Main St',
    shipping_city: 'Oslo',
    shipping_zip: '0150',
  });
  expect(await commerce('POST', `/carts/${cart.id}/pay`, { method_id: method.id })).toMatchObject({ order: null });
  await program.end('SIGTERM');
  const backup = join(dataDir, 'backup');
  await cp(join(dataDir, 'postgres'), backup, { recursive: true });

  program = await start();
  await call('POST', `/marketing/v1/contacts/unsubscribe/${contact}`);
  await commerce('POST', `/carts/${cart.id}/reopen`, {});
  // Killed when the person's row is deleted and most of the work is left.
  const deleting = call('DELETE', `/commerce/v1/customers/${gone}`).catch(() => null);
  await expect
    .poll(() => readFile(join(dataDir, 'erasures.log'), 'utf8').catch(() => ''), { interval: 5 })
    .toContain('\n');
  await program.end('SIGKILL');
  await deleting;
  expect(await readFile(join(dataDir, 'erasures.log'), 'utf8')).not.toContain('goneperson');

  program = await start();
  expect((await call('GET', `/commerce/v1/customers/${gone}`)).status).toBe(404);
  await expect
    .poll(
      async () =>
        (await call('GET', `/marketing/v1/events?per_page=100&contact_id=${contact}`)).body.events[0].event_data,
    )
    .toEqual({});
  const after = await customer('afterwards');
  await expect.poll(() => contactOf('afterwards')).toBeDefined();
  await expect.poll(async () => (await json('doctor')).ok, { timeout: 60_000, interval: 250 }).toBe(true);
  await program.end('SIGTERM');

  // Restored to the day before, with a truncated last line in the journal file.
  await stopServer(join(dataDir, 'postgres'));
  await rm(join(dataDir, 'postgres'), { recursive: true });
  await cp(backup, join(dataDir, 'postgres'), { recursive: true });
  await appendFile(join(dataDir, 'erasures.log'), '{"key":"half');
  program = await start();
  expect((await call('GET', `/commerce/v1/customers/${gone}`)).status).toBe(404);
  expect((await call('GET', `/marketing/v1/contacts/${contact}`)).status).toBe(404);
  expect((await call('GET', `/commerce/v1/customers/${stays}`)).body.data.first_name).toBe('staysperson');
  const { body: suppressed } = await call('GET', '/marketing/v1/suppressions?address=goneperson@example.com');
  expect(suppressed.suppressions).toMatchObject([{ cause: 'unsubscribe' }]);
  await expect.poll(async () => (await json('doctor')).ok, { timeout: 60_000, interval: 250 }).toBe(true);
  expect(await commerce('GET', `/carts/${cart.id}`)).toMatchObject({ status: 'cancelled', shipping_address: '' });
  const { checks } = await json('doctor');
  expect(checks.find((check: { id: string }) => check.id === 'erasures').ok).toBe(true);
  // A new contact gets the id of one created after the backup, and must not be erased.
  expect(await customer('newcomer')).toBe(after);
  expect(await json('erasures', 'replay')).toEqual({ replayed: 0 });
  expect((await call('GET', `/commerce/v1/customers/${after}`)).body.data.first_name).toBe('newcomer');
  // The next erasure is written on a line of its own.
  expect((await call('DELETE', `/commerce/v1/customers/${after}`)).status).toBe(200);
  const lines = (await readFile(join(dataDir, 'erasures.log'), 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1)!).customer_id).toBe(after);
  await program.end('SIGTERM');
});

test('`tradeloom erasures replay FILE` repeats erasures in a database restored elsewhere, and the doctor asks for it', {
  timeout: 300_000,
}, async () => {
  const file = join(dataDir, 'other.log');
  const entry = {
    key: '0190b2a4-7a39-7b2e-a5b0-3e2f1c9d8b7a',
    at: '2999-01-01T00:00:00.000Z',
    company_id: 1,
    customer_id: 2,
    contact_ids: [],
    suppressed: [],
  };
  await appendFile(file, `${JSON.stringify(entry)}\n`);
  const env = { TRADELOOM_DATA_DIR: dataDir, TRADELOOM_ERASURE_LOG: file };
  const doctor = await tradeloom(['doctor', '--json'], env);
  expect(doctor.code).toBe(1);
  const broken = JSON.parse(doctor.stdout).checks.filter((check: { ok: boolean }) => !check.ok);
  expect(broken).toMatchObject([{ id: 'erasures', fix: 'Run tradeloom erasures replay' }]);
  expect(await json('erasures', 'replay', file)).toEqual({ replayed: 1 });
  expect(await json('erasures', 'replay', file)).toEqual({ replayed: 0 });
  expect((await tradeloom(['doctor', '--json'], env)).code).toBe(0);
});
