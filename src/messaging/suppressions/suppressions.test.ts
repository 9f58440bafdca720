import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { failed } from '../send/transports/port.ts';
import { flowMessages, ledgerOf } from '../testing/sending.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

async function imported(shop: TestCompany, fields: object, standing = 'subscribed'): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/contacts', fields);
  expect([status, body.status]).toEqual([201, standing]);
  const { body: kept } = await shop.marketing('GET', `/contacts/${body.contact_id}`);
  expect(kept.status).toBe(standing);
  return Number(body.contact_id);
}

/** Returns the outcome of a message to the contact: the reason for which it is skipped, or `sent`. */
async function outcomeOf(shop: TestCompany, contact: number, options: Parameters<typeof flowMessages>[3] = {}) {
  const { ids } = await flowMessages(server, shop, [contact], options);
  while ((await sender().runOnce()) > 0);
  const [row] = await ledgerOf(server, ids);
  return row!.reason ?? row!.status;
}

/** Erases a contact in that state; returns the one that is then imported with the same address. */
async function reborn(shop: TestCompany, standing: 'subscribed' | 'unsubscribed' | 'bounced'): Promise<number> {
  const person = { email: 'reborn@example.net', phone: '+12133734253', consent: { sms: 'subscribed' } };
  const first = await imported(shop, person);
  await shop.marketing('PATCH', `/contacts/${first}`, { status: standing });
  expect((await shop.marketing('DELETE', `/contacts/${first}`)).status).toBe(200);
  return imported(shop, person, standing);
}

const receipt = { transactional: true };
const sms = { channel: 'sms', step: { content: 'Hello' } } as const;

test('a contact erased after unsubscribing gets no marketing when imported again, but still gets receipts', async () => {
  const shop = await server.company();
  const contact = await reborn(shop, 'unsubscribed');
  expect(await outcomeOf(shop, contact)).toBe('unsubscribed');
  expect(await outcomeOf(shop, contact, sms)).toBe('unsubscribed');
  expect(await outcomeOf(shop, contact, receipt)).toBe('sent');
  const kept = await server.rows<{ row: string }>('select s::text as row from suppressions s where company_id = $1', [
    shop.company_id,
  ]);
  expect(kept).toHaveLength(2);
  expect(kept.filter(({ row }) => /reborn|2133734253/.test(row))).toEqual([]);
});

test('a contact erased after bouncing gets no e-mail; SMS are not affected', async () => {
  const shop = await server.company();
  const contact = await reborn(shop, 'bounced');
  expect(await outcomeOf(shop, contact)).toBe('bounced');
  expect(await outcomeOf(shop, contact, receipt)).toBe('bounced');
  expect(await outcomeOf(shop, contact, sms)).toBe('sent');
});

test('a contact that is created with a suppressed address has the suppressed state, whatever created it', async () => {
  const shop = await server.company();
  for (const [email, standing, phone] of [
    ['left@example.net', 'unsubscribed', '+12133734255'],
    ['dead@example.net', 'bounced', '+12133734257'],
  ] as const) {
    const contact = await imported(shop, { email, phone });
    await shop.marketing('PATCH', `/contacts/${contact}`, { status: standing });
    await shop.marketing('DELETE', `/contacts/${contact}`);
  }
  await shop.marketing('POST', '/suppressions', { addresses: ['by-hand@example.net'] });
  const phone = '+12133734256';
  await shop.marketing('POST', '/suppressions', { channel: 'sms', addresses: [phone] });
  const contacts = [
    { email: 'left@example.net' },
    { email: 'dead@example.net', external_id: '7' },
    { email: 'by-hand@example.net' },
    // The contact unsubscribed e-mail and SMS: with a new e-mail address, only the phone number stays unsubscribed.
    { email: 'new@example.net', phone: '+12133734255' },
    { phone: '+12133734257', consent: { sms: 'subscribed' } },
    { email: 'other@example.net', phone },
    { external_id: '8' },
  ];
  const { body } = await shop.marketing('POST', '/contacts/batch', { contacts });
  const ids = body.results.map((result: { contact_id: number }) => result.contact_id);
  const status = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body.status;
  expect(await Promise.all(ids.map(status))).toEqual([
    'unsubscribed',
    'bounced',
    'unsubscribed',
    'subscribed',
    'subscribed',
    'subscribed',
    'subscribed',
  ]);
  const { body: four } = await shop.marketing('GET', `/contacts/${ids[3]}`);
  expect([four.consent.email.state, four.consent.sms.state]).toEqual(['subscribed', 'unsubscribed']);
  // By an address that is added later, and by one that replaces another.
  const later = await shop.marketing('PATCH', `/contacts/${ids[6]}`, { email: 'late@example.net' });
  expect(later.body.status).toBe('subscribed');
  await shop.marketing('POST', '/suppressions', { addresses: ['later@example.net'] });
  const readdressed = await shop.marketing('PATCH', `/contacts/${ids[6]}`, { email: 'later@example.net' });
  expect([readdressed.body.status, await status(ids[6])]).toEqual(['unsubscribed', 'unsubscribed']);
  const restored = await shop.marketing('POST', '/contacts', { external_id: '7', email: 'alive@example.net' });
  expect([restored.body.status, await status(ids[1])]).toEqual(['subscribed', 'subscribed']);
  // The contact is created by an event.
  await shop.marketing('DELETE', `/contacts/${ids[0]}`);
  const event_data = { order_id: '1', email: 'left@example.net', total: 5 };
  const event = await shop.marketing('POST', '/events', { event_type: 'order_placed', event_data });
  expect(await status(event.body.contact_id)).toBe('unsubscribed');
  const { body: told } = await shop.marketing('GET', `/contacts/${event.body.contact_id}/timeline`);
  expect(told.timeline.map((entry: { data: object }) => entry.data)).toContainEqual({
    from: 'subscribed',
    to: 'unsubscribed',
    cause: 'suppressed_unsubscribe',
  });
});

test('a contact erased while subscribed leaves no suppression, and other companies are not affected', async () => {
  const shop = await server.company();
  expect(await outcomeOf(shop, await reborn(shop, 'subscribed'))).toBe('sent');
  const other = await server.company();
  await reborn(other, 'unsubscribed');
  expect(await outcomeOf(shop, await imported(shop, { email: 'second@example.net' }))).toBe('sent');
  expect(await server.rows('select 1 from suppressions where company_id = $1', [shop.company_id])).toEqual([]);
});

test('coming back by themselves lifts it, and being erased again keeps it lifted', async () => {
  const shop = await server.company();
  const contact = await reborn(shop, 'unsubscribed');
  await shop.marketing('POST', `/contacts/resubscribe/${contact}`, {});
  expect(await outcomeOf(shop, contact)).toBe('sent');
  await shop.marketing('DELETE', `/contacts/${contact}`);
  expect(await outcomeOf(shop, await imported(shop, { email: 'reborn@example.net' }))).toBe('sent');
});

test('confirming a list lifts it: the mail that asks is sent', async () => {
  const shop = await server.company();
  const list = (await shop.marketing('POST', '/lists', { name: 'News', double_opt_in: true })).body.list_id;
  const contact = await reborn(shop, 'unsubscribed');
  await shop.marketing('POST', '/contacts', { email: 'reborn@example.net', list_ids: [list] });
  await server.app.workers.find((worker) => worker.name === 'confirmations')!.runOnce();
  while ((await sender().runOnce()) > 0);
  const [mail] = await server.rows<{ html: string }>(
    "select html from mailbox_messages where company_id = $1 and contact_id = $2 and channel = 'email'",
    [shop.company_id, contact],
  );
  const path = /\/u\/confirm\/[A-Za-z0-9_-]+/.exec(mail!.html)![0];
  expect(await outcomeOf(shop, contact)).toBe('unsubscribed');
  expect(
    (await server.request('POST', path, { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }))
      .status,
  ).toBe(200);
  expect(await outcomeOf(shop, contact)).toBe('sent');
});

test('a number that is dead stays so, though its contact is subscribed', async () => {
  const shop = await server.company();
  const contact = await imported(shop, {
    email: 'dead-number@example.net',
    phone: '+12133734254',
    consent: { sms: 'subscribed' },
  });
  const { sms: transport } = server.app.messaging.transports;
  const { deliverAll } = transport;
  transport.deliverAll = async (messages) =>
    messages.map(() => failed('recipient', 'no such number', { permanent: true }));
  expect(await outcomeOf(shop, contact, sms)).toBe('refused_recipient');
  transport.deliverAll = deliverAll;
  expect(await outcomeOf(shop, contact, sms)).toBe('suppressed_bounce');
});
