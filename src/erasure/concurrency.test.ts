import { beforeAll, describe, expect, test } from 'vitest';
import { createDb } from '../db/create-db.ts';
import { resolveContacts } from '../marketing/contacts/service.ts';
import { INITIAL_BY_API } from '../recipients/consent.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

async function makeContact(email: string): Promise<number> {
  return (await shop.marketing('POST', '/contacts', { email })).body.contact_id;
}

const viewed = (email: string, n: number) => ({
  event_type: 'product_viewed',
  event_data: { email, product_id: String(n), product_name: email },
});

/** Stores events of the contact, bypassing the API. */
async function giveEvents(contactId: number, n: number): Promise<void> {
  await server.rows(
    `insert into events (company_id, event_id, event_type, contact_id, data, occurred_at, received_at, source)
     select $1, nextval('event_ids'), 'product_viewed', $2, jsonb_build_object('who', 'marker'), $3, $3, 'api'
     from generate_series(1, $4::int)`,
    [shop.company_id, contactId, server.clock.now(), n],
  );
}

/** As many stored responses as a busy shop has in a day. */
async function giveResponses(n: number): Promise<void> {
  await server.rows(
    `insert into idempotency_keys (company_id, sent_by, key, request_hash, status, body, created_at)
     select $1, 1, 'filler-' || i, '', 200, '{"event_id":' || i || ',"contact_id":1,"note":"' || repeat('x', 200) || '"}', $2
     from generate_series(1, $3::int) i`,
    [shop.company_id, server.clock.now(), n],
  );
}

let sent = 0;

/** Sends events one after the other until stopped; returns the duration of each. */
function ingesting(email: string): { stop(): Promise<number[]> } {
  let ended = false;
  const times: number[] = [];
  const loop = (async () => {
    while (!ended) {
      const begin = performance.now();
      const { status } = await shop.marketing('POST', '/events', viewed(email, sent++));
      expect(status).toBe(201);
      times.push(performance.now() - begin);
    }
  })();
  return {
    async stop() {
      ended = true;
      await loop;
      return times;
    },
  };
}

const longest = (times: number[]): number => Math.max(...times);

async function workersDone(): Promise<void> {
  const worker = server.app.workers.find(({ name }) => name === 'erasures')!;
  await expect
    .poll(
      async () => {
        await worker.runOnce();
        return server.rows('select id from erasures where finished_at is null');
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
}

describe('the erasure of a contact with many rows', () => {
  test('does not delay events of others, and leaves none of the contact’s', { timeout: 120_000 }, async () => {
    const busy = await makeContact('busy@example.com');
    await giveEvents(busy, 100_000);
    await giveResponses(50_000);
    const idle = ingesting('other@example.com');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = await idle.stop();
    const during = ingesting('other@example.com');
    const begin = performance.now();
    expect((await shop.marketing('DELETE', `/contacts/${busy}`)).status).toBe(200);
    const took = performance.now() - begin;
    const times = await during.stop();
    await workersDone();
    // With a lock on the company, an event would wait for the whole erasure.
    expect(longest(times)).toBeLessThan(Math.max(longest(before) * 5, 250));
    expect(longest(times)).toBeLessThan(took / 3);
    expect(await server.rows("select 1 from events where contact_id = $1 and data <> '{}'", [busy])).toEqual([]);
    expect(await server.rows("select 1 from idempotency_keys where key like 'filler%' and body = '{}'")).toEqual([]);
  });

  test('also erases rows written by a transaction that had found the contact before', async () => {
    const id = await makeContact('race@example.com');
    const db = createDb({ connection: server.connection });
    const { promise: found, resolve: tellFound } = Promise.withResolvers<void>();
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
    const finding = db.tx(async (tx) => {
      const [contact] = await resolveContacts(
        tx,
        shop.company_id,
        [{ email: 'race@example.com' }],
        server.clock.now(),
        {
          suppressions: server.app.messaging.suppressions,
          initialOf: () => INITIAL_BY_API,
        },
      );
      tellFound();
      await go;
      const event = { eventType: 'product_viewed', data: { who: 'race@example.com' }, source: 'api' as const };
      const stored = await server.app.events.storeEvents(
        tx,
        shop.company_id,
        [{ ...event, contactId: contact!.ok ? contact!.value.contactId : 0 }],
        server.clock.now(),
      );
      expect(stored[0]!.ok).toBe(true);
    });
    await found;
    expect((await shop.marketing('DELETE', `/contacts/${id}`)).status).toBe(200);
    letGo();
    await finding;
    expect(await server.rows('select data from events where contact_id = $1', [id])).toEqual([
      { data: { who: 'race@example.com' } },
    ]);
    await workersDone();
    expect(await server.rows('select data from events where contact_id = $1', [id])).toEqual([{ data: {} }]);
    await db.close();
  });

  test('leaves the address of an unsubscribed contact suppressed for new contacts at every moment', async () => {
    for (let n = 0; n < 10; n++) {
      const email = `left-${n}@example.com`;
      const id = await makeContact(email);
      await shop.marketing('POST', `/contacts/unsubscribe/${id}`);
      const [, , again] = await Promise.all([
        shop.marketing('DELETE', `/contacts/${id}`),
        shop.marketing('POST', '/events', viewed(email, n)),
        shop.marketing('POST', '/contacts', { email, first_name: 'again' }),
      ]);
      expect(again.body.status).toBe('unsubscribed');
    }
  });
});

test('the worker finishes an erasure whose process died, at whatever step', { timeout: 60_000 }, async () => {
  const id = await makeContact('crashed@example.com');
  await giveEvents(id, 3_000);
  // The state after a kill within a slice: the person's row is deleted, everything else is unchanged.
  await shop.marketing('DELETE', `/contacts/${id}`);
  await workersDone();
  const [row] = await server.rows<{ texts: Buffer | null }>('select texts from erasures where $1 = any(contact_ids)', [
    id,
  ]);
  expect(row!.texts).toBeNull();
  await server.rows(`update events set data = '{"who": "crashed@example.com"}' where contact_id = $1`, [id]);
  const texts = server.app.masterKey.seal(
    JSON.stringify([{ email: 'crashed@example.com', phone: null, external_id: null }]),
  );
  await server.rows(
    `update erasures set finished_at = null, step = 'events', place = '0', open_transactions = '{}', texts = $2
     where $1 = any(contact_ids)`,
    [id, texts],
  );
  await workersDone();
  expect(await server.rows("select 1 from events where contact_id = $1 and data <> '{}'", [id])).toEqual([]);
});
