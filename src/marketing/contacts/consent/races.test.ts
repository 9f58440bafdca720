import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { flowMessages } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { random } from '../../../testing/random/seed.ts';
import * as make from './testing/matrix.ts';

const server = testServer();
const RACES = 40;
/** Of these so many run at the same time: more would wait for connections, and a busy server refuses what waits too long. */
const AT_ONCE = 8;
let shop: TestCompany;
let square: make.Square;

/**
 * Records the order in which consents, changes of addresses and hand-overs are written. Each is written under a lock on the
 * contact's row, so that this is also the order of the commits.
 */
beforeAll(async () => {
  server.app.messaging.smsToken = make.SMS_TOKEN;
  shop = await server.company();
  const number = '+12025550100';
  await shop.marketing('PATCH', '/sending-settings', { sms_from: number });
  square = { server, shop, cautious: shop, list: 0, number };
  await server.rows(`
    create sequence race_order;
    create table race (place bigint, what text, contact_id bigint);
    create function note_race() returns trigger language plpgsql security definer as $$
    begin
      insert into race values (nextval('race_order'), tg_argv[0], new.id);
      return null;
    end $$;
    create trigger note_left after update on contacts for each row
      when (new.email_consent <> old.email_consent or new.sms_consent <> old.sms_consent) execute function note_race('left');
    create trigger note_moved after update on contacts for each row
      when (new.email <> old.email) execute function note_race('moved');
    create function note_hand_over() returns trigger language plpgsql security definer as $$
    begin
      insert into race select nextval('race_order'), 'handed over', contact_id from messages
      where id = new.message_id and not transactional;
      return null;
    end $$;
    create trigger note_race after update on message_claims for each row
      when (new.step = 'handing_over' and old.step = 'claimed') execute function note_hand_over()`);
});

async function placesOf(ids: number[]): Promise<Map<string, number>> {
  const rows = await server.rows<{ what: string; contact_id: string; place: string }>(
    'select what, contact_id, min(place) as place from race where contact_id = any($1) group by 1, 2',
    [ids],
  );
  return new Map(rows.map(({ what, contact_id, place }) => [`${what} ${contact_id}`, Number(place)]));
}

async function causeOf(address: string): Promise<string | null> {
  const { body } = await shop.marketing('GET', `/suppressions?address=${encodeURIComponent(address)}`);
  return body.suppressions[0]?.cause ?? null;
}

async function people(): Promise<make.Made[]> {
  const all: make.Made[] = [];
  await race(Array.from({ length: RACES }), async () => all.push(await make.contact(square)));
  return all;
}
const pick = random(1);
const moment = () => new Promise((resolve) => setTimeout(resolve, pick(5)));
async function race<T>(all: readonly T[], run: (one: T) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < all.length; i += AT_ONCE) await Promise.all(all.slice(i, i + AT_ONCE).map(run));
}
const oneClick = (made: make.Made) => make.click(square, made, 'List-Unsubscribe=One-Click');

describe('an unsubscription', () => {
  test('during a change of the address covers each address that the contact had since', async () => {
    const all = await people();
    await race(all, async (made) => {
      const move = async () => {
        await moment();
        const body = { email: `moved-${made.email}` };
        expect((await shop.marketing('PATCH', `/contacts/${made.contactId}`, body)).status).toBe(200);
      };
      const say = async () => {
        await moment();
        await oneClick(made);
      };
      await Promise.all([move(), say()]);
    });
    const places = await placesOf(all.map(({ contactId }) => contactId));
    for (const { contactId, email } of all) {
      const leftFirst = places.get(`left ${contactId}`)! < places.get(`moved ${contactId}`)!;
      expect([await causeOf(email), await causeOf(`moved-${email}`)]).toEqual([
        leftFirst ? 'unsubscribe' : null,
        'unsubscribe',
      ]);
    }
  });

  test('during a merge covers the merged contact once it is acknowledged', async () => {
    const winners = await people();
    const acknowledged: { email: string; winner: number }[] = [];
    await race(winners, async ({ email: key, contactId: winner }) => {
      const email = `loser-${key}`;
      const { body: loser } = await shop.marketing('POST', '/contacts', { email });
      const merge = async () => {
        await moment();
        const body = { external_id: `x-${key}`, email };
        expect((await shop.marketing('POST', '/contacts', body)).body.contact_id).toBe(winner);
      };
      const say = async () => {
        await moment();
        const { status } = await shop.marketing('POST', `/contacts/unsubscribe/${loser.contact_id}`);
        expect([200, 404]).toContain(status);
        if (status === 200) acknowledged.push({ email, winner });
      };
      await Promise.all([merge(), say()]);
    });
    for (const { email, winner } of acknowledged) {
      expect(await causeOf(email)).toBe('unsubscribe');
      const { body } = await shop.marketing('GET', `/contacts/${winner}`);
      expect([body.email, body.consent.email.state]).toEqual([email, 'unsubscribed']);
    }
  });

  test.each(['email', 'sms'] as const)('during hand-overs by %s lets none begin after it', async (channel) => {
    const all = await people();
    const step = channel === 'email' ? { subject: 'x', content: '<p>x</p>' } : { content: 'x' };
    const ids = all.map(({ contactId }) => contactId);
    await flowMessages(server, shop, ids, { channel, step });
    const sender = server.app.workers.find((worker) => worker.name === 'sender')!;
    const sending = (async () => {
      while ((await sender.runOnce()) > 0);
    })();
    const say = (made: make.Made) =>
      channel === 'sms' ? make.text(square, made, 'STOP') : make.report(square, 'complaint', made.email);
    await race(all, say);
    await sending;
    const places = await placesOf(ids);
    const late = ids.filter((id) => (places.get(`handed over ${id}`) ?? 0) > places.get(`left ${id}`)!);
    expect([late, ids.filter((id) => !places.has(`left ${id}`))]).toEqual([[], []]);
  });
});

/** Runs `work` while another connection has the contact locked and then commits changed addresses. */
async function whileMoved(contactId: number, fields: string, work: () => Promise<unknown>): Promise<void> {
  const other = new pg.Client(server.connection);
  await other.connect();
  try {
    await other.query('begin');
    await other.query(`update contacts set ${fields} where id = ${contactId}`);
    const working = work();
    await expect.poll(() => server.lockWaits('transactionid', 'tuple'), { interval: 1 }).not.toBe(0);
    await other.query('commit');
    await working;
  } finally {
    await other.end();
  }
}

describe('a message from an address that its contact is giving up', () => {
  test('START does not subscribe the contact’s new number', async () => {
    const [made, next] = [await make.contact(square), await make.contact(square)];
    await make.text(square, next, 'STOP');
    await shop.marketing('PATCH', `/contacts/${next.contactId}`, { phone: null });
    await whileMoved(made.contactId, `phone = '${next.phone}'`, () => make.text(square, made, 'START'));
    expect(await causeOf(next.phone)).toBe('unsubscribe');
  });

  test('STOP and a complaint do not unsubscribe the contact’s new address', async () => {
    const made = await make.contact(square);
    const phone = '+12133759999';
    await whileMoved(made.contactId, `phone = '${phone}'`, () => make.text(square, made, 'STOP'));
    expect([await causeOf(made.phone), await causeOf(phone)]).toEqual(['unsubscribe', null]);
    const email = 'got@example.net';
    await whileMoved(made.contactId, `email = '${email}'`, () => make.report(square, 'complaint', made.email));
    expect([await causeOf(made.email), await causeOf(email)]).toEqual(['complaint', null]);
  });
});
