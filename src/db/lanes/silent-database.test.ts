import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { databaseOf } from '../../testing/global-setup.ts';
import { type Program, startProgram, temporaryDataFolder } from '../../testing/program.ts';
import { type FreezableProxy, freezableProxy } from '../../testing/proxy.ts';

const { connection, template } = inject('postgres');
const DATABASE = `${template}_silent`;
const ORDER = {
  customer_id: 1,
  items: [{ product_id: 1, qty: 1 }],
  shipping_address: 'Unter den Linden 1',
  shipping_city: 'Berlin',
  shipping_zip: '10117',
  shipping_country: 'DE',
};

let admin: pg.Client;
let proxy: FreezableProxy;
let program: Program;
let key: string;

beforeAll(async () => {
  admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${DATABASE} template ${template} strategy file_copy`);
  proxy = await freezableProxy(databaseOf(connection, DATABASE));
  program = await startProgram([], { DATABASE_URL: proxy.url, TRADELOOM_DATA_DIR: temporaryDataFolder() });
  key = /API key +(\S+)/.exec(program.stdout())![1]!;
  // Opens the connections that will go silent.
  expect(await Promise.all([read(), place()])).toEqual([200, 201]);
});
afterAll(async () => {
  await proxy.close();
  await admin.query(`drop database ${DATABASE} with (force)`);
  await admin.end();
});

const headers = () => ({ 'X-API-Key': key, 'Content-Type': 'application/json' });
const statusOf = async (path: string, init?: RequestInit) =>
  (await fetch(`${program.origin}/commerce/v1${path}`, { headers: headers(), ...init })).status;
const read = () => statusOf('/products');
const place = () => statusOf('/orders', { method: 'POST', body: JSON.stringify(ORDER) });
const timed = async (work: Promise<unknown>): Promise<number> => {
  const began = monotonicMs();
  await work;
  return monotonicMs() - began;
};

/** A firewall that forgets connections: nothing arrives over them any more, and no side hears of it. */
describe('a database whose connections went silent', { timeout: 300_000 }, () => {
  test('leaves reads and orders unanswered for at most 5 s, and takes orders again within 8 s', async () => {
    proxy.freeze();
    const began = monotonicMs();
    expect(Math.max(...(await Promise.all([timed(read()), timed(place())])))).toBeLessThan(5_000);
    await expect.poll(place).toBe(201);
    expect(monotonicMs() - began).toBeLessThan(8_000);
  });

  test('keeps the program from ending for at most 10 s', async () => {
    proxy.freeze();
    const began = monotonicMs();
    const { code } = await program.end('SIGTERM');
    expect([code, monotonicMs() - began < 10_000]).toEqual([0, true]);
  });
});
