import { expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { messagingInvariants } from '../../../messaging/invariants.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { freshWorker } from '../../../testing/fresh-worker.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { inFirstZone, localMoment } from './local-time.ts';

const server = testServer();
const MAIL = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', send_in_contact_time_zone: true };
const HOUR = 3_600_000;
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
async function settle(): Promise<void> {
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
}

/** Creates a list with one contact of a company in Berlin for each zone (null: none). */
async function listOf(shop: TestCompany, zones: (string | null)[]): Promise<{ list: number; contacts: number[] }> {
  const contacts: number[] = [];
  for (const timezone of zones)
    contacts.push(await contactOf(server, shop, { properties: timezone === null ? {} : { timezone } }));
  const { body } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${body.list_id}/contacts`, { contact_ids: contacts });
  return { list: body.list_id, contacts };
}
const read = async (shop: TestCompany, id: number): Promise<TestBody> =>
  (await shop.marketing('GET', `/campaigns/${id}`)).body;
/** When each contact's message is due, as YYYY-MM-DD HH:MM:SS in UTC. */
async function dueTimes(id: number): Promise<Record<number, string>> {
  const rows = await server.rows<{ contact_id: number; due_at: Date }>(
    'select contact_id::int, due_at from messages where campaign_id = $1',
    [id],
  );
  return Object.fromEntries(rows.map((row) => [row.contact_id, formatTimestamp(row.due_at)]));
}
const sentTo = async (id: number): Promise<number[]> =>
  (
    await server.rows<{ id: number }>(
      "select contact_id::int as id from messages where campaign_id = $1 and status = 'sent' order by id",
      [id],
    )
  ).map((row) => row.id);

const ZONES = [
  'Pacific/Kiritimati',
  'Asia/Tokyo',
  'Europe/Berlin',
  null,
  'Nowhere/At-all',
  'America/New_York',
  '-23:00',
];

test('contacts without a time zone of their own get it by their address, where that says it', async () => {
  server.clock.set('2026-03-01T12:00:00Z');
  const shop = await server.company({ timeZone: 'Europe/Berlin' });
  const customer = async (email: string, address: object): Promise<number> => {
    const made = await shop.commerce('POST', '/customers', {
      email,
      accepts_marketing: true,
      first_name: 'A',
      last_name: 'B',
      ...address,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    while ((await worker('outbox').runOnce()) > 0);
    const { contacts } = (await shop.marketing('GET', `/contacts?search=${email}`)).body;
    return contacts[0].contact_id;
  };
  const hawaii = await customer('h@example.com', { shipping_country: 'US', shipping_state: 'Hawaii' });
  const tokyo = await customer('t@example.com', { shipping_country: 'Japan' });
  const unclear = await customer('u@example.com', { shipping_country: 'US', shipping_state: 'TN' });
  const own = await customer('o@example.com', { shipping_country: 'Japan' });
  await shop.marketing('PATCH', `/contacts/${own}`, { properties: { timezone: 'America/New_York' } });
  const imported = await contactOf(server, shop, { properties: { country: 'Canada', region: 'Ontario' } });
  const contacts = [hawaii, tokyo, unclear, own, imported];
  const zones = await Promise.all(
    contacts.map(async (id) => (await shop.marketing('GET', `/contacts/${id}`)).body.time_zone),
  );
  expect(zones).toEqual(['Pacific/Honolulu', 'Asia/Tokyo', null, 'America/New_York', 'America/Toronto']);

  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'News' })).body;
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: contacts });
  const at = { scheduled_at: '2026-03-10 09:00:00', timezone: 'Europe/Berlin' };
  const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', { ...MAIL, list_id, ...at })).body;
  await shop.marketing('POST', `/campaigns/send/${id}`, at);
  server.clock.set('2026-03-09T19:00:00Z');
  await settle();
  expect(await dueTimes(id)).toEqual({
    [hawaii]: '2026-03-10 19:00:00',
    [tokyo]: '2026-03-10 00:00:00',
    [unclear]: '2026-03-10 08:00:00',
    [own]: '2026-03-10 13:00:00',
    [imported]: '2026-03-10 13:00:00',
  });
});

test('each recipient gets it at the wall-clock time of their own zone, and it is finished after the last', async () => {
  server.clock.set('2026-03-01T12:00:00Z');
  const shop = await server.company({ timeZone: 'Europe/Berlin' });
  const { list, contacts } = await listOf(shop, ZONES);
  const fields = { ...MAIL, list_id: list, scheduled_at: '2026-03-10 09:00:00', timezone: 'America/New_York' };
  const made = (await shop.marketing('POST', '/campaigns', fields)).body;
  expect(made).toMatchObject({
    status: 'scheduled',
    send_in_contact_time_zone: true,
    // New York has daylight saving time already.
    scheduled_at: '2026-03-10 13:00:00',
    starts_at: '2026-03-09 19:00:00',
  });
  const id = made.campaign_id;
  expect(await worker('campaigns').nextDue(server.clock.now())).toEqual(new Date('2026-03-09T19:00:00Z'));
  server.clock.set('2026-03-09T18:59:59Z');
  await settle();
  expect(await read(shop, id)).toMatchObject({ status: 'scheduled' });
  server.clock.set('2026-03-09T19:00:00Z');
  await settle();
  expect(await read(shop, id)).toMatchObject({ status: 'sending', recipients: 7, counts: { sent: 1, queued: 6 } });
  const [kiritimati, tokyo, berlin, none, unknown, newYork, offset] = contacts as [number, ...number[]];
  expect(await dueTimes(id)).toEqual({
    [kiritimati!]: '2026-03-09 19:00:00',
    [tokyo!]: '2026-03-10 00:00:00',
    [berlin!]: '2026-03-10 08:00:00',
    [none!]: '2026-03-10 08:00:00',
    [unknown!]: '2026-03-10 08:00:00',
    [newYork!]: '2026-03-10 13:00:00',
    // No zone is behind UTC-12.
    [offset!]: '2026-03-10 21:00:00',
  });
  // The chore that finds messages queued while a clock was ahead leaves these alone.
  await freshWorker(server.app, 'chores').runOnce();
  await settle();
  expect(await sentTo(id)).toEqual([kiritimati]);
  server.clock.set('2026-03-10T00:00:00Z');
  await settle();
  expect(await sentTo(id)).toEqual([kiritimati, tokyo]);
  await shop.marketing('POST', `/campaigns/pause/${id}`);
  server.clock.set('2026-03-10T09:00:00Z');
  await settle();
  expect(await sentTo(id)).toEqual([kiritimati, tokyo]);
  await shop.marketing('POST', `/campaigns/resume/${id}`);
  await settle();
  expect(await sentTo(id)).toEqual([kiritimati, tokyo, berlin, none, unknown]);
  server.clock.set('2026-03-10T13:00:00Z');
  await settle();
  expect(await read(shop, id)).toMatchObject({ status: 'sending', counts: { sent: 6, queued: 1 } });
  server.clock.set('2026-03-10T21:00:00Z');
  await settle();
  expect(await read(shop, id)).toMatchObject({ status: 'sent', counts: { sent: 7, queued: 0 } });
  expect((await checkInvariants(server.app.db, messagingInvariants)).filter((one) => !one.ok)).toEqual([]);
});

test('quiet hours of the contact, lateness and a cancellation are kept', async () => {
  server.clock.set('2026-03-01T12:00:00Z');
  const shop = await server.company({ timeZone: 'Europe/Berlin' });
  const quiet_hours = { start: '21:00', end: '08:00', timezone: 'contact' };
  await shop.marketing('PATCH', '/sending-settings', { quiet_hours });
  const { list, contacts } = await listOf(shop, ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York']);
  const [tokyo, berlin] = contacts;
  const fields = { ...MAIL, list_id: list, max_lateness_hours: 2, scheduled_at: '2026-03-10 06:00:00' };
  const { body } = await shop.marketing('POST', '/campaigns', { ...fields, timezone: 'Europe/Berlin' });
  const id = body.campaign_id;
  server.clock.set('2026-03-09T21:00:00Z');
  await settle();
  expect(await sentTo(id)).toEqual([]);
  server.clock.set('2026-03-09T22:59:59Z');
  await settle();
  expect(await sentTo(id)).toEqual([]);
  server.clock.set('2026-03-09T23:00:00Z');
  await settle();
  expect(await sentTo(id)).toEqual([tokyo]);
  await shop.marketing('POST', `/campaigns/pause/${id}`);
  server.clock.set('2026-03-10T07:30:00Z');
  await shop.marketing('POST', `/campaigns/resume/${id}`);
  await settle();
  expect(await read(shop, id)).toMatchObject({ counts: { sent: 1, skipped: 1, queued: 1 } });
  const { body: skipped } = await shop.marketing('GET', `/campaigns/${id}/recipients?state=skipped`);
  expect(skipped.recipients).toMatchObject([{ contact_id: berlin, reason: 'too_late' }]);
  await shop.marketing('POST', `/campaigns/cancel/${id}`);
  await settle();
  expect(await read(shop, id)).toMatchObject({ status: 'cancelled', counts: { sent: 1, skipped: 2, queued: 0 } });
});

test('it is refused without a time, too late for the first zone, and beside an A/B test', async () => {
  server.clock.set('2026-03-09T12:00:00Z');
  const shop = await server.company({ timeZone: 'Europe/Berlin' });
  const { list } = await listOf(shop, [null]);
  const draft = { ...MAIL, list_id: list };
  const { body } = await shop.marketing('POST', '/campaigns', draft);
  const id = body.campaign_id;
  const errorOf = async (method: string, path: string, fields: object) => {
    const { status, body: refused } = await shop.marketing(method, path, fields);
    return [status, refused.details?.[0].field];
  };
  expect(await errorOf('POST', `/campaigns/send/${id}`, {})).toEqual([400, 'scheduled_at']);
  // 01:30 in Berlin: clocks in Kiritimati showed that at 11:30 UTC on the day before, half an hour ago.
  const late = ['2026-03-10 00:30:00', '2026-03-10 00:59:59'].map((at) => ({ scheduled_at: at }));
  for (const when of late) {
    expect(await errorOf('POST', `/campaigns/send/${id}`, when)).toEqual([400, 'scheduled_at']);
    expect(await errorOf('PATCH', `/campaigns/${id}`, when)).toEqual([400, 'scheduled_at']);
    expect(await errorOf('POST', '/campaigns', { ...draft, ...when })).toEqual([400, 'scheduled_at']);
  }
  const plain = await shop.marketing('POST', '/campaigns', {
    ...draft,
    ...late[0],
    send_in_contact_time_zone: false,
  });
  expect(plain.body).toMatchObject({ status: 'scheduled', starts_at: '2026-03-10 00:30:00' });
  const turnedOn = { send_in_contact_time_zone: true };
  const path = `/campaigns/${plain.body.campaign_id}`;
  expect(await errorOf('PATCH', path, turnedOn)).toEqual([400, 'scheduled_at']);
  const variants = ['a', 'b'].map((key) => ({ key, weight: 1 }));
  const ab_test = { share: 10, hours: 1, metric: 'opened' };
  expect(await errorOf('POST', '/campaigns', { ...draft, variants, ab_test })).toEqual([400, 'ab_test']);
  const sent = await shop.marketing('POST', `/campaigns/send/${id}`, { scheduled_at: '2026-03-10 01:00:00' });
  expect([sent.status, sent.body.status]).toEqual([200, 'scheduled']);
  const { body: moved } = await shop.marketing('PATCH', `/campaigns/${id}`, { send_in_contact_time_zone: false });
  expect(moved).toMatchObject({ status: 'scheduled', starts_at: moved.scheduled_at });
});

test('a large audience gets its times part by part, with several workers and a hold-out group', async () => {
  server.clock.set('2026-03-01T12:00:00Z');
  const shop = await server.company({ timeZone: 'Europe/Berlin' });
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'Everybody' });
  await server.rows(
    `with made as (
       insert into contacts (company_id, email, properties, search, created_at, updated_at)
       select $1, 'p' || n || '@example.com', jsonb_build_object('timezone', case n % 3 when 0 then 'Asia/Tokyo' when 1 then 'America/New_York' else 'nowhere' end),
         '', $3, $3 from generate_series(1, 12000) n returning id
     )
     insert into list_memberships (company_id, list_id, contact_id, status, created_at, updated_at)
     select $1, $2, id, 'active', $3, $3 from made`,
    [shop.company_id, list.list_id, server.clock.now()],
  );
  const fields = { ...MAIL, list_id: list.list_id, holdout_percent: 10, scheduled_at: '2026-03-10T09:00:00+01:00' };
  const { campaign_id: id } = (await shop.marketing('POST', '/campaigns', fields)).body;
  server.clock.set('2026-03-09T19:00:00Z');
  await Promise.all([worker('campaigns').runOnce(), worker('campaigns').runOnce()]);
  while ((await worker('campaigns').runOnce()) > 0);
  const rows = await server.rows<{ zone: string; due_at: Date; n: number }>(
    `select c.properties ->> 'timezone' as zone, m.due_at, count(*)::int as n
     from messages m join contacts c on c.id = m.contact_id where m.campaign_id = $1 group by 1, 2 order by 1`,
    [id],
  );
  const { recipients, held_out } = await read(shop, id);
  expect([recipients + held_out, rows.reduce((sum, { n }) => sum + n, 0)]).toEqual([12_000, recipients]);
  expect(rows.map(({ zone, due_at }) => [zone, formatTimestamp(due_at)])).toEqual([
    ['America/New_York', '2026-03-10 13:00:00'],
    ['Asia/Tokyo', '2026-03-10 00:00:00'],
    ['nowhere', '2026-03-10 08:00:00'],
  ]);
});

test.each([
  ['Europe/Berlin', '2026-03-28T12:30:00Z', '2026-03-29T01:30:00Z', 'an hour that the clock skips is the next one'],
  ['Europe/Berlin', '2026-10-24T12:30:00Z', '2026-10-25T00:30:00Z', 'of an hour that comes twice the first'],
  ['+23:59', '2026-03-09T19:00:00Z', '2026-03-09T19:00:00Z', 'nobody is ahead of the first zone'],
])('%s, started at %s: due at %s (%s)', (zone, first, due) => {
  expect(localMoment(new Date(first), zone)).toEqual(new Date(due));
});

test('the first zone shows 09:00 14 hours before UTC does', () => {
  const moment = new Date('2026-07-01T07:00:00Z');
  expect(inFirstZone(moment, 'Europe/Berlin').getTime()).toBe(new Date('2026-07-01T09:00:00Z').getTime() - 14 * HOUR);
});
