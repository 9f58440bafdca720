import { cp, rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createDb } from '../../db/create-db.ts';
import { findHome } from '../../db/home.ts';
import { allowSending, findHold, holdRestored, holdSending } from '../../installation.ts';
import { databaseOf } from '../../testing/global-setup.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { startCountingSink } from '../testing/sink.ts';
import { holdIfMoved } from './failover.ts';
import { confirmSending } from './restore-hold.ts';

const sink = await startCountingSink(() => 'store');
afterAll(() => sink.close());
const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}
const confirm = (shop: TestCompany, waiting: 'unknown' | 'send') =>
  confirmSending(server.app.db, [shop.company_id], { home: 'here', waiting, now: server.clock.now() });

beforeEach(async () => {
  await server.rows('insert into installation default values on conflict do nothing');
  await allowSending(server.app.db, 'here');
});

describe('a database is held', () => {
  test('where it is another one than last time, until somebody confirms it', async () => {
    const { db } = server.app;
    const config = { databaseUrl: 'postgres://elsewhere', dataDir: '/nowhere' };
    const place = { db, config, now: server.clock.now() };
    const home = await findHome(db, config);
    await allowSending(db, home);
    expect(await holdIfMoved(place)).toBe(false);
    expect(await findHold(db)).toBeNull();
    await allowSending(db, 'there');
    expect(await holdIfMoved(place)).toBe(true);
    expect(await holdIfMoved(place)).toBe(false);
    expect(await findHold(db)).toEqual({ since: place.now, because: 'restored' });
    await allowSending(db, home);
    expect(await holdIfMoved(place)).toBe(false);
  });

  test('after its contents were restored elsewhere or put back in place', async () => {
    const config = { databaseUrl: 'postgres://elsewhere', dataDir: '/nowhere' };
    const home = await findHome(server.app.db, config);
    expect(await findHome(server.app.db, config)).toBe(home);
    const [row] = await server.rows<{ name: string }>('select current_database() as name');
    const copy = `${row!.name}_copy`;
    const connection = databaseOf(server.connection, copy);
    const admin = new pg.Client(databaseOf(server.connection, 'postgres'));
    await admin.connect();
    await admin.query(`create database ${copy}`);
    const other = createDb({ connection, connections: { points: 1, writes: 1, chores: 1 } });
    try {
      // As when a dump is restored: the table is recreated.
      const made = new pg.Client(connection);
      await made.connect();
      await made.query('create table installation (one boolean)');
      const first = await findHome(other, config);
      await made.query('drop table installation; create table installation (one boolean)');
      const second = await findHome(other, config);
      await made.end();
      expect(new Set([home, first, second]).size).toBe(3);
    } finally {
      await other.close();
      await admin.query(`drop database ${copy} with (force)`);
      await admin.end();
    }
  });
});

describe('while it is held', () => {
  test('nothing is sent, and people decide on the messages that the backup had queued', async () => {
    const shop = await server.company();
    const contacts = await Promise.all([contactOf(server, shop), contactOf(server, shop)]);
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
    const campaign = { name: 'C', type: 'email', subject: 'x', content: 'x', list_id: list.list_id };
    const { body: begun } = await shop.marketing('POST', '/campaigns', campaign);
    await shop.marketing('POST', `/campaigns/send/${begun.campaign_id}`);
    const scheduled_at = new Date(server.clock.now().getTime() + 60_000).toISOString();
    const { body: coming } = await shop.marketing('POST', '/campaigns', { ...campaign, scheduled_at });
    const { ids: before } = await flowMessages(server, shop, contacts, { transactional: true });
    server.clock.advance(30_000);
    await holdRestored(server.app.db, server.clock.now());

    server.clock.advance(60_000);
    const { ids: receipts } = await flowMessages(server, shop, contacts, { transactional: true });
    const { ids: repeated } = await flowMessages(server, shop, contacts);
    await settle();
    const all = [...before, ...receipts, ...repeated];
    expect(new Set((await ledgerOf(server, all)).map((row) => row.status))).toEqual(new Set(['queued']));
    expect((await shop.marketing('GET', '/mailbox')).body.pagination.total).toBe(0);

    expect(await confirm(shop, 'unknown')).toEqual({ unknown: 6, paused: 1 });
    await settle();
    const doubtful = { status: 'unknown', reason: 'restored' };
    expect(await ledgerOf(server, [...before, ...repeated])).toMatchObject([doubtful, doubtful, doubtful, doubtful]);
    expect(await ledgerOf(server, receipts)).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
    const { body: sent } = await shop.marketing('GET', `/campaigns/${begun.campaign_id}`);
    expect(sent).toMatchObject({ status: 'sent', counts: { sent: 0, unknown: 2 } });
    const { body: missed } = await shop.marketing('GET', `/campaigns/${coming.campaign_id}`);
    expect(missed).toMatchObject({ status: 'paused', reason: 'restored', counts: { queued: 0 } });
    await shop.marketing('POST', `/campaigns/retry/${begun.campaign_id}`, { include_unknown: true });
    await settle();
    expect((await shop.marketing('GET', `/campaigns/${begun.campaign_id}`)).body.counts).toMatchObject({ sent: 2 });
  });

  test('recipients of the best variant keep waiting, and their campaign waits for a person', async () => {
    const shop = await server.company();
    const contacts = await Promise.all(Array.from({ length: 12 }, () => contactOf(server, shop)));
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
    const variants = [1, 2].map((n) => ({ key: `v${n}`, weight: 1, subject: `${n}`, content: 'x' }));
    const ab_test = { share: 50, hours: 1, metric: 'opened' };
    const campaign = { name: 'C', type: 'email', list_id: list.list_id, variants, ab_test };
    const { body } = await shop.marketing('POST', '/campaigns', campaign);
    const read = async () => (await shop.marketing('GET', `/campaigns/${body.campaign_id}`)).body;
    await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
    await settle();
    const { sent } = (await read()).counts;
    await holdRestored(server.app.db, server.clock.now());
    server.clock.advance(2 * 3_600_000);
    expect(await confirm(shop, 'unknown')).toEqual({ unknown: 0, paused: 1 });
    await settle();
    expect(await read()).toMatchObject({ status: 'paused', reason: 'restored', counts: { sent, queued: 12 - sent } });
    await shop.marketing('POST', `/campaigns/resume/${body.campaign_id}`);
    await settle();
    expect(await read()).toMatchObject({ status: 'sent', counts: { sent: 12 } });
  });

  test('all messages wait, and are sent once a person confirms it', async () => {
    const shop = await server.company();
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await holdSending(server.app.db, server.clock.now(), 'asked');
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued' }]);
    const shown = await shop.marketing('GET', '/sending-settings');
    expect(shown.body).toMatchObject({ held_because: 'asked' });
    expect(shown.body.held_since).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
    expect((await shop.marketing('PATCH', '/sending-settings', { track_opens: false })).body.held_because).toBe(
      'asked',
    );
    expect(await confirm(shop, 'send')).toEqual({ unknown: 0, paused: 0 });
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent' }]);
  });
});

test('a copied data folder sends nothing before it is confirmed', { timeout: 120_000 }, async () => {
  const original = temporaryDataFolder({ prepared: true });
  const copy = temporaryDataFolder();
  const start = (dataDir: string): Promise<Program> =>
    startProgram(['--empty', '--data-dir', dataDir], { SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off` });
  const json = async (dataDir: string, args: string[]): Promise<TestBody> => {
    const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
    expect(outcome.stderr).toBe('');
    return JSON.parse(outcome.stdout);
  };
  let program = await start(original);
  expect(program.stdout()).not.toContain('Sending is held');
  const company = String((await json(original, ['companies', 'create', '--name', 'Shop'])).company_id);
  const { key } = await json(original, ['keys', 'create', '--company', company, '--name', 'k', '--scope', '*']);
  const call = async (method: string, path: string, body?: unknown): Promise<TestBody> => {
    const response = await fetch(`${program.origin}/marketing/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': company },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return response.json();
  };
  const { campaign_id } = await call('POST', '/campaigns', { name: 'C', type: 'email', subject: 'x', content: 'x' });
  await program.end('SIGTERM');
  await rm(copy, { recursive: true });
  await cp(original, copy, { recursive: true });

  program = await start(copy);
  expect(program.stdout()).toContain('Sending is held: this database was restored from a backup or copied');
  await call('POST', `/campaigns/test/${campaign_id}`, { recipients: ['a@example.net'] });
  expect(await json(copy, ['sending', 'status'])).toMatchObject({ because: 'restored', waiting: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(sink.stored.size).toBe(0);
  expect(await json(copy, ['sending', 'confirm'])).toEqual({ unknown: 0, paused: 0 });
  for (let tries = 0; tries < 300 && sink.stored.size === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect([...sink.stored]).toEqual([['a@example.net', 1]]);
  expect(await json(copy, ['sending', 'status'])).toEqual({ held_since: null, because: null, waiting: 0, lost: null });
  await program.end('SIGTERM');
});
