import { beforeEach, describe, expect, test } from 'vitest';
import { findHome } from '../../db/home.ts';
import { allowSending, findHold } from '../../installation.ts';
import { testServer } from '../../testing/harness.ts';
import { claimMessages } from '../send/claim-queries.ts';
import { contactOf, flowMessages, ledgerOf } from '../testing/sending.ts';
import { createMoveWatch, HandOverMemory, type MoveWatch } from './failover.ts';
import { countLost } from './failover-queries.ts';
import type { ClaimedMessage } from './message.ts';
import { confirmSending } from './restore-hold.ts';
import { handOverMessages } from './settle-queries.ts';

const server = testServer();
const config = { databaseUrl: 'postgres://elsewhere', dataDir: '/nowhere' };

/** What the processes find. */
let home: string;

function processThatSends(othersMs = 0): { watch: MoveWatch; handOvers: HandOverMemory } {
  const handOvers = new HandOverMemory();
  const { db, log } = server.app;
  return {
    handOvers,
    watch: createMoveWatch({ db, config, homeNow: async () => home, clock: server.clock, log, handOvers, othersMs }),
  };
}

/** From now on, the processes find the database on the timeline on which it is. */
async function failOver(): Promise<void> {
  home = await findHome(server.app.db, config);
}

const settle = async (): Promise<number> => server.app.workers.find(({ name }) => name === 'sender')!.runOnce();
const held = async () => (await findHold(server.app.db))?.because ?? null;

/** Claims and hands over the company's messages. */
async function handOver(companyId: number): Promise<ClaimedMessage[]> {
  const now = server.clock.now();
  return server.app.db.tenantTx(companyId, async (tx) => {
    const work = { company_id: companyId, lane: 1, campaign_id: null } as const;
    const claimed = await claimMessages(tx, work, { now, limit: 10, channels: ['email'], behind: null });
    const going = claimed.map(({ id, epoch }) => ({ id, epoch, recipient: 'a@example.com', transport: 'smtp' }));
    await handOverMessages(tx, companyId, going, now);
    return claimed;
  });
}

beforeEach(async () => {
  await server.rows('insert into installation default values on conflict do nothing');
  await server.rows("update installation set senders = '{}'");
  // Before the failover, the database was on another timeline than now.
  home = (await findHome(server.app.db, config)).replace(/:[^:]*/, ':FFFFFFFF');
  await allowSending(server.app.db, home);
});

describe('after a failover', () => {
  test('sending waits until the loss is known, and continues where nothing was lost', async () => {
    const one = processThatSends(60_000);
    const other = processThatSends(60_000);
    await one.watch.look();
    await other.watch.look();
    const shop = await server.company();
    const { ids: before } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    one.handOvers.handedOver(await handOver(shop.company_id));
    const { ids } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await failOver();
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued' }]);

    await one.watch.look();
    await settle();
    expect(await ledgerOf(server, ids)).toMatchObject([{ status: 'queued' }]);
    await other.watch.look();
    expect(await held()).toBeNull();
    await settle();
    expect(await ledgerOf(server, [...before, ...ids])).toMatchObject([{ status: 'handing_over' }, { status: 'sent' }]);
  });

  test('sending is held where hand-overs were lost, and confirming marks those messages alone', async () => {
    const { watch, handOvers } = processThatSends();
    await watch.look();
    const shop = await server.company();
    const { ids: lost } = await flowMessages(server, shop, [
      await contactOf(server, shop),
      await contactOf(server, shop),
    ]);
    handOvers.handedOver(await handOver(shop.company_id));
    await server.rows('delete from message_claims where message_id = any($1)', [lost]);
    const { ids: others } = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await failOver();
    await watch.look();
    expect([await held(), await countLost(server.app.db)]).toEqual(['failover', 2]);
    await settle();
    expect(await ledgerOf(server, others)).toMatchObject([{ status: 'queued' }]);

    const how = { home, waiting: 'unknown', now: server.clock.now() } as const;
    expect(await confirmSending(server.app.db, [shop.company_id], how)).toEqual({ unknown: 2, paused: 0 });
    await settle();
    const doubtful = { status: 'unknown', reason: 'hand_over_interrupted' };
    expect(await ledgerOf(server, lost)).toMatchObject([doubtful, doubtful]);
    expect(await ledgerOf(server, others)).toMatchObject([{ status: 'sent' }]);
    await watch.look();
    expect(await held()).toBeNull();
  });

  test('sending is held where a process does not respond that was sending', async () => {
    const { watch } = processThatSends();
    const ended = processThatSends();
    await watch.look();
    await ended.watch.look();
    await failOver();
    await watch.look();
    expect(await held()).toBe('restored');
  });

  test('a process that has ended in order is not waited for', async () => {
    const { watch } = processThatSends();
    const ended = processThatSends();
    await watch.look();
    await ended.watch.look();
    await ended.watch.leave();
    await failOver();
    await watch.look();
    expect(await held()).toBeNull();
  });
});

describe('a recovery to an earlier time is not taken for a failover', () => {
  test('by a process that has started since, on a server that was no standby', async () => {
    await failOver();
    await processThatSends().watch.look();
    expect(await held()).toBe('restored');
  });

  test('by a process that has written more than a minute later', async () => {
    const { watch } = processThatSends();
    await watch.look();
    await server.rows(`update installation set senders = (
      select jsonb_object_agg(key, value || jsonb_build_object('at', (value ->> 'at')::bigint - 3600000)) from jsonb_each(senders))`);
    await failOver();
    await watch.look();
    expect(await held()).toBe('restored');
  });

  test('a missing last commit shows without a message as well', async () => {
    const { watch } = processThatSends();
    await watch.look();
    await server.rows(`update installation set senders = (
      select jsonb_object_agg(key, value || jsonb_build_object('at', (value ->> 'at')::bigint - 1)) from jsonb_each(senders))`);
    await failOver();
    await watch.look();
    expect([await held(), await countLost(server.app.db)]).toEqual(['failover', 0]);
  });
});
