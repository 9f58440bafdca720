import { expect, test } from 'vitest';
import type { Db, Tx } from '../../db/pool.ts';
import { testServer } from '../../testing/harness.ts';
import { handOverMessages, type Settled, settleMessages } from '../ledger/settle-queries.ts';
import { loadSendingCompany } from '../settings/settings.ts';
import { contactOf, flowMessages, handOverDeps, ledgerOf } from '../testing/sending.ts';
import { claimMessages, lockClaims } from './claim-queries.ts';
import { settleAndHandOver } from './deliver.ts';

const server = testServer();

test('a connection that is lost is one failure that somebody hears of, and ends no process', async () => {
  const shop = await server.company();
  await flowMessages(server, shop, [await contactOf(server, shop), await contactOf(server, shop)]);
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const, behind: null };
  const [message] = await db.tenantTx(shop.company_id, (tx) => claimMessages(tx, work, claim));
  const company = await loadSendingCompany(db, shop.company_id);
  const delivered = [{ message: message!, to: 'a@example.net', result: { kind: 'sent' as const, reply: '250' } }];
  /** All statements in flight fail together, as when a connection is lost. */
  const lost: Db = {
    ...db,
    tenantTx: (companyId, body) =>
      db.tenantTx(companyId, (tx) => {
        const broken: Tx = Object.assign(Object.create(tx), {
          query: () => new Promise((_, reject) => setImmediate(() => reject(new Error('the connection was lost')))),
        });
        return body(broken);
      }),
  };
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.prependListener('unhandledRejection', hear);
  try {
    const deps = { ...handOverDeps(server), db: lost };
    const exchanged = settleAndHandOver(deps, company, { delivered, ready: [] }, server.clock.now());
    await expect(exchanged).rejects.toThrow('the connection was lost');
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('unhandledRejection', hear);
  }
  expect(unheard).toEqual([]);
});

test('a message whose contact became part of another while a worker held it goes to that one', async () => {
  const shop = await server.company();
  const email = 'two@example.net';
  const { body: loser } = await shop.marketing('POST', '/contacts', { email });
  const { body: winner } = await shop.marketing('POST', '/contacts', { external_id: 'one' });
  const { ids } = await flowMessages(server, shop, [loser.contact_id]);
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const, behind: null };
  const [message] = await db.tenantTx(shop.company_id, (tx) => claimMessages(tx, work, claim));
  await shop.marketing('POST', '/contacts', { external_id: 'one', email });
  const company = await loadSendingCompany(db, shop.company_id);
  const ledger = { companyId: shop.company_id, messageId: message!.id, contactId: message!.contactId };
  const raw = () => Promise.resolve(Buffer.alloc(0));
  const outgoing = { channel: 'email', id: 'x', ledger, from: 'a@example.net', to: email, content: null, raw } as const;
  const ready = [{ message: message!, outgoing, transport: 'smtp' }];
  const going = await settleAndHandOver(handOverDeps(server), company, { delivered: [], ready }, server.clock.now());
  expect(going).toEqual(new Set());
  expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued', reason: null }]);
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const { body } = await shop.marketing('GET', `/messages?contact_id=${winner.contact_id}`);
  expect(body.messages).toMatchObject([{ status: 'sent', recipient: email }]);
});

test('a reply that comes after its contact was erased leaves no address behind', async () => {
  const shop = await server.company();
  const email = 'gone@example.net';
  const { body: contact } = await shop.marketing('POST', '/contacts', { email });
  const { ids } = await flowMessages(server, shop, [contact.contact_id]);
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
  const now = server.clock.now();
  const claim = { now, limit: 10, channels: ['email'] as const, behind: null };
  const [message] = await db.tenantTx(shop.company_id, (tx) => claimMessages(tx, work, claim));
  const going = [{ id: message!.id, epoch: message!.epoch, recipient: email, transport: 'smtp' }];
  await db.tenantTx(shop.company_id, (tx) => handOverMessages(tx, shop.company_id, going, now));
  expect((await shop.marketing('DELETE', `/contacts/${contact.contact_id}`)).status).toBe(200);
  const company = await loadSendingCompany(db, shop.company_id);
  const result = { kind: 'sent' as const, reply: `250 taken for <${email}>` };
  const delivered = [{ message: message!, to: email, result }];
  await settleAndHandOver(handOverDeps(server), company, { delivered, ready: [] }, now);
  expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', recipient: null, reply: null }]);
});

test('each of many is recorded with its own outcome, in any order and alongside claims of others', async () => {
  const shop = await server.company();
  const people = await Promise.all(Array.from({ length: 8 }, () => contactOf(server, shop)));
  await flowMessages(server, shop, people);
  const { db } = server.app;
  const { company_id: companyId } = shop;
  const work = { company_id: companyId, lane: 1 as const, campaign_id: null };
  const now = server.clock.now();
  const claim = { now, limit: 10, channels: ['email'] as const, behind: null };
  const claimed = await db.tenantTx(companyId, async (tx) => {
    await lockClaims(tx, work);
    return claimMessages(tx, work, claim);
  });
  expect(claimed.map((message) => message.contactId)).toEqual(people);
  expect(new Set(claimed.map((message) => message.epoch)).size).toBe(people.length);
  const [fourth] = claimed.splice(3, 1);
  const mixed = [5, 0, 6, 2, 4, 1, 3].map((i) => claimed[i]!);
  const stale = { ...fourth!, epoch: fourth!.epoch + 1_000 };
  const going = [...mixed, stale].map(({ id, epoch }) => ({
    id,
    epoch,
    recipient: `m${id}@a.net`,
    transport: `t${id}`,
  }));
  const gone = await db.tenantTx(companyId, (tx) => handOverMessages(tx, companyId, going, now));
  expect([...gone].sort()).toEqual(claimed.map(({ id }) => id).sort());
  const settled = [stale, ...mixed].map(({ id, epoch }, i): Settled => {
    return { id, epoch, status: i % 2 === 0 ? 'sent' : 'failed', reply: `250 ${id}`, ...(i === 4 && { reason: 'r4' }) };
  });
  expect(await settleMessages(db, companyId, settled, now)).toEqual(gone);
  const rows = await server.rows<{
    id: string;
    status: string;
    reason: string | null;
    recipient: string;
    reply: string;
  }>('select id, status, reason, recipient, reply from messages where company_id = $1 order by id', [companyId]);
  const recorded = new Map(rows.map(({ id, ...row }) => [Number(id), row]));
  expect(recorded.get(fourth!.id)).toEqual({ status: 'queued', reason: null, recipient: null, reply: null });
  for (const { id, status, reason = null } of settled.slice(1)) {
    expect(recorded.get(id)).toEqual({ status, reason, recipient: `m${id}@a.net`, reply: `250 ${id}` });
  }
});
