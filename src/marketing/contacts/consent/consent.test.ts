import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

let last = 0;
const anEmail = (): string => `consent${++last}@example.com`;
const aPhone = (): string => `+1213373${4000 + ++last}`;

async function upsert(body: object): Promise<{ id: number; status: string; email: string; sms: string }> {
  const { body: contact } = await shop.marketing('POST', '/contacts', body);
  return standingOf(contact);
}

function standingOf(contact: { contact_id: number; status: string; consent: { email: State; sms: State } }) {
  const { contact_id: id, status, consent } = contact;
  return { id, status, email: consent.email.state, sms: consent.sms.state };
}

interface State {
  state: string;
  source: string;
}

const read = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body;
const carry = async () => {
  const outbox = server.app.workers.find((worker) => worker.name === 'outbox')!;
  while ((await outbox.runOnce()) > 0);
};

async function customer(fields: object): Promise<number> {
  const { status, body } = await shop.commerce('POST', '/customers', { email: anEmail(), ...fields });
  expect(status).toBe(201);
  await carry();
  return body.data.id;
}

async function contactOf(customerId: number) {
  const [row] = await server.rows<{ id: string }>(
    'select id from contacts where company_id = $1 and external_id = $2',
    [shop.company_id, String(customerId)],
  );
  return read(Number(row!.id));
}

describe('a customer of the shop', () => {
  test('a customer who does not accept marketing becomes a contact with consent `never`', async () => {
    const contact = await contactOf(await customer({ accepts_marketing: false }));
    expect(contact).toMatchObject({ status: 'unsubscribed', consent: { email: { state: 'never', source: 'shop' } } });
    expect((await contactOf(await customer({}))).consent.email.state).toBe('never');
  });

  test('who accepts marketing is subscribed to e-mail, and to nothing else', async () => {
    const contact = await contactOf(await customer({ accepts_marketing: true, phone: aPhone() }));
    expect(contact).toMatchObject({
      status: 'subscribed',
      consent: { email: { state: 'subscribed', source: 'shop' } },
    });
    expect(contact.consent.sms.state).toBe('never');
  });

  test('who changes it changes the contact at once, and a refusal suppresses the address', async () => {
    const email = anEmail();
    const id = await customer({ email, accepts_marketing: true });
    await shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing: false });
    const { contact_id } = await contactOf(id);
    expect(await read(contact_id)).toMatchObject({ consent: { email: { state: 'never', source: 'shop' } } });
    // No other source subscribes the address again.
    expect(await upsert({ email, consent: { email: 'subscribed' } })).toMatchObject({ email: 'unsubscribed' });
    await shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing: true });
    expect(await read(contact_id)).toMatchObject({ status: 'subscribed', consent: { email: { source: 'shop' } } });
  });

  test('who changes it before the contact exists: the latest choice counts', async () => {
    const email = anEmail();
    const { body } = await shop.commerce('POST', '/customers', { email, accepts_marketing: true });
    await shop.commerce('PATCH', `/customers/${body.data.id}`, { accepts_marketing: false });
    await carry();
    expect((await contactOf(body.data.id)).consent.email.state).toBe('never');
  });

  test('cannot be subscribed by the shop after an unsubscription', async () => {
    const id = await customer({ accepts_marketing: true });
    const { contact_id } = await contactOf(id);
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    for (const accepts_marketing of [false, true]) {
      await shop.commerce('PATCH', `/customers/${id}`, { accepts_marketing });
      expect((await read(contact_id)).consent.email.state).toBe('unsubscribed');
    }
  });

  test('subscribed by an event is unsubscribed by registering without accepting', async () => {
    const [tracked, signedUp] = [anEmail(), anEmail()];
    const event_data = { email: tracked, product_id: '1', product_name: 'Tea' };
    const event = await shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
    expect((await read(event.body.contact_id)).consent.email).toMatchObject({ state: 'subscribed', source: 'event' });
    const contact = await contactOf(await customer({ email: tracked }));
    expect([contact.contact_id, contact.consent.email.state]).toEqual([event.body.contact_id, 'never']);
    // A subscription by a form stays.
    await upsert({ email: signedUp });
    expect((await contactOf(await customer({ email: signedUp }))).consent.email.state).toBe('subscribed');
  });
});

describe('a consent', () => {
  test('is for e-mail unless stated; SMS determines the status without an e-mail address', async () => {
    expect(await upsert({ email: anEmail(), phone: aPhone() })).toMatchObject({ status: 'subscribed', sms: 'never' });
    expect(await upsert({ phone: aPhone() })).toMatchObject({ status: 'unsubscribed', sms: 'never' });
    const asked = await upsert({ phone: aPhone(), consent: { sms: 'subscribed' } });
    expect(asked).toMatchObject({ status: 'subscribed', sms: 'subscribed' });
  });

  test('of a contact created by an event follows the company’s setting', async () => {
    const cautious = await server.company();
    await cautious.marketing('PATCH', '/sending-settings', { new_contacts_by_events: 'never' });
    const event_data = { email: anEmail(), product_id: '1', product_name: 'Tea' };
    const { body } = await cautious.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
    const contact = await cautious.marketing('GET', `/contacts/${body.contact_id}`);
    expect(contact.body).toMatchObject({
      status: 'unsubscribed',
      consent: { email: { state: 'never', source: 'event' } },
    });
  });

  test('a contact that had only bounced keeps the source and the time of its consent when it is written to again', async () => {
    const { id } = await upsert({ email: anEmail() });
    const { consent } = await read(id);
    await shop.marketing('PATCH', `/contacts/${id}`, { status: 'bounced' });
    server.clock.advance(60_000);
    await shop.marketing('POST', `/contacts/resubscribe/${id}`, { reason: 'Wrote to us' });
    const now = await read(id);
    expect([now.status, now.consent.email]).toEqual(['subscribed', consent.email]);
  });

  test('that was taken back is not restored by an upsert, and PATCH fails', async () => {
    const email = anEmail();
    const { id } = await upsert({ email, consent: { email: 'unsubscribed' } });
    expect(await upsert({ email, consent: { email: 'subscribed' } })).toMatchObject({ email: 'unsubscribed' });
    const patched = await shop.marketing('PATCH', `/contacts/${id}`, { consent: { email: 'subscribed' } });
    expect([patched.status, patched.body.details[0].field]).toEqual([400, 'consent.email']);
    await shop.marketing('POST', `/contacts/resubscribe/${id}`, { reason: 'Wrote to us' });
    expect((await read(id)).consent.email.state).toBe('subscribed');
  });

  test('can be taken back by channel', async () => {
    const { id } = await upsert({ email: anEmail(), phone: aPhone(), consent: { sms: 'subscribed' } });
    const { body } = await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { channels: ['sms'] });
    expect(standingOf(body)).toMatchObject({ status: 'subscribed', email: 'subscribed', sms: 'unsubscribed' });
    expect(standingOf((await shop.marketing('POST', `/contacts/unsubscribe/${id}`)).body)).toMatchObject({
      email: 'unsubscribed',
    });
    // Without `channels`, only e-mail is subscribed again: SMS was not requested.
    expect(standingOf((await shop.marketing('POST', `/contacts/resubscribe/${id}`)).body)).toMatchObject({
      status: 'subscribed',
      sms: 'unsubscribed',
    });
  });

  test('has a history with its evidence', async () => {
    const email = anEmail();
    const evidence = { text: 'Yes, send me offers', ip: '192.0.2.7', user_agent: 'Test/1' };
    const { id } = await upsert({ email, consent: { email: { state: 'subscribed', ...evidence } } });
    server.clock.advance(60_000);
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { channels: ['email'], reason: 'By telephone' });
    const { body } = await shop.marketing('GET', `/contacts/${id}/consents`);
    expect(body.contact_id).toBe(id);
    expect(body.consents.filter((entry: { channel: string }) => entry.channel === 'email')).toMatchObject([
      { state: 'subscribed', source: 'api', address: email, ...evidence },
      { state: 'unsubscribed', source: 'api', address: email, text: 'By telephone' },
    ]);
    const { body: all } = await shop.marketing('GET', `/contacts/${id}/export`);
    expect(all.consents).toEqual(body.consents);
    await shop.marketing('DELETE', `/contacts/${id}`);
    expect(await server.rows('select 1 from contact_consents where contact_id = $1', [id])).toEqual([]);
    expect((await shop.marketing('GET', `/contacts/${id}/consents`)).status).toBe(404);
  });
});

describe('an unsubscription', () => {
  const byEvent = async (email: string) => {
    const event_data = { email, product_id: '1', product_name: 'Tea' };
    const { body } = await shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data });
    return standingOf(await read(body.contact_id));
  };

  test('stays with the address when the contact changes it', async () => {
    const [before, after] = [anEmail(), anEmail()];
    const { id } = await upsert({ email: before, external_id: before });
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`);
    await shop.marketing('PATCH', `/contacts/${id}`, { email: after });
    expect(await byEvent(before)).toMatchObject({ status: 'unsubscribed' });
    // The unsubscription stays with the contact at the new address.
    await shop.marketing('PATCH', `/contacts/${id}`, { email: anEmail() });
    expect(await byEvent(after)).toMatchObject({ status: 'unsubscribed' });
  });

  test('stays with the address when the contact is merged away or erased', async () => {
    const [merged, erased] = [anEmail(), anEmail()];
    await upsert({ external_id: `into-${merged}`, email: anEmail() });
    const loser = await upsert({ email: merged });
    await shop.marketing('POST', `/contacts/unsubscribe/${loser.id}`);
    const winner = await upsert({ external_id: `into-${merged}`, email: merged });
    expect(winner).toMatchObject({ status: 'unsubscribed' });
    await shop.marketing('PATCH', `/contacts/${winner.id}`, { email: anEmail() });
    expect(await byEvent(merged)).toMatchObject({ status: 'unsubscribed' });

    const gone = await upsert({ email: erased });
    await shop.marketing('POST', `/contacts/unsubscribe/${gone.id}`);
    await shop.marketing('DELETE', `/contacts/${gone.id}`);
    expect(await byEvent(erased)).toMatchObject({ status: 'unsubscribed' });
  });
});
