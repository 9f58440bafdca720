import { describe, expect, test } from 'vitest';
import { sql } from '../../db/sql.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type Activity, insertActivity } from '../feedback/activity-queries.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { handOverMessages } from '../ledger/settle-queries.ts';
import { contactOf, flowMessages, handOverDeps, ledgerOf } from '../testing/sending.ts';
import { createClaims, takeBackExpired } from './claim.ts';
import { settleAndHandOver } from './deliver.ts';

const server = testServer();
const TO = 'ann@example.net';

/** A flow message that a worker is handing over. */
async function handedOver(transport = 'smtp') {
  const shop = await server.company();
  const { flowId, ids } = await flowMessages(server, shop, [await contactOf(server, shop, { email: TO })]);
  const { db } = server.app;
  const work = { company_id: shop.company_id, lane: 1 as const, campaign_id: null };
  const claim = { now: server.clock.now(), limit: 10, channels: ['email'] as const };
  const [message] = await createClaims(db).take(work, claim);
  const going = [{ id: message!.id, epoch: message!.epoch, recipient: TO, transport }];
  await db.tx((tx) => handOverMessages(tx, shop.company_id, going, server.clock.now()));
  return { shop, flowId, ids, message: message! };
}

const note = (shop: TestCompany, messageId: number, type: Activity['type']) =>
  server.app.db.tenantTx(shop.company_id, (tx) =>
    insertActivity(tx, shop.company_id, [{ messageId, type }], server.clock.now()),
  );
/** The worker has died. */
async function takeBack(): Promise<void> {
  await server.rows("update message_claims set lease_until = now() - interval '1 second'");
  await takeBackExpired(server.app.db, server.clock.now());
}
/** The worker is alive but did not receive the outcome. */
async function hearNothing(shop: TestCompany, message: ClaimedMessage): Promise<void> {
  const company = await server.app.messaging.companies.get(shop.company_id);
  const delivered = [{ message, to: TO, result: { kind: 'unknown' as const, reason: 'connection_lost' } }];
  await settleAndHandOver(handOverDeps(server), company, { delivered, ready: [] }, server.clock.now());
}
async function sentOf(shop: TestCompany, flowId: number): Promise<number[]> {
  const { body } = await shop.marketing('GET', `/flows/${flowId}/stats`);
  return [body.totals.sent, body.steps[0].sent];
}

describe('a message with an unknown outcome counts as sent where an earlier event shows it', () => {
  test.each(['opened', 'machine_opened', 'clicked', 'unsubscribed', 'bounced', 'complained'] as const)(
    '%s, and the worker died',
    async (type) => {
      const { shop, flowId, ids } = await handedOver();
      await note(shop, ids[0]!, type);
      await takeBack();
      expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', reason: 'noticed', recipient: TO }]);
      expect(await sentOf(shop, flowId)).toEqual([1, 1]);
    },
  );

  test('opened, and the worker did not hear whether it was taken', async () => {
    const { shop, flowId, ids, message } = await handedOver();
    await note(shop, ids[0]!, 'opened');
    await hearNothing(shop, message);
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', reason: 'noticed' }]);
    expect(await sentOf(shop, flowId)).toEqual([1, 1]);
  });

  test.each([
    ['dies', takeBack],
    ['does not hear of it', hearNothing],
  ] as const)('while an open is being recorded as its worker %s', async (_, expiry) => {
    for (const first of ['open', 'expiry']) {
      const { shop, ids, message } = await handedOver();
      const { db } = server.app;
      const both: Promise<unknown>[] = [];
      const begin = {
        open: () => note(shop, ids[0]!, 'opened'),
        expiry: () => (expiry as (shop: TestCompany, message: ClaimedMessage) => Promise<void>)(shop, message),
      };
      // Both block where they write counts: by then the first has done everything else.
      await db.tx(async (tx) => {
        await tx.query(sql`lock table counter_deltas in share mode`);
        const waiting = async (n: number) => expect.poll(() => server.lockWaits()).toBe(n);
        both.push(first === 'open' ? begin.open() : begin.expiry());
        await waiting(1);
        both.push(first === 'open' ? begin.expiry() : begin.open());
        await waiting(2);
      });
      await Promise.all(both);
      expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'sent', reason: 'noticed' }]);
    }
  });

  test('and stays unknown where nothing did; a message on its way to the mailbox is free again', async () => {
    const { shop, flowId, ids } = await handedOver();
    const mailbox = await handedOver('mailbox');
    await takeBack();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'unknown', reason: 'hand_over_interrupted' }]);
    expect(await sentOf(shop, flowId)).toEqual([0, 0]);
    expect(await ledgerOf(server, mailbox.ids)).toMatchObject([{ status: 'queued', reason: null }]);
  });
});
