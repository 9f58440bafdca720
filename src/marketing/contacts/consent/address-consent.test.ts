import { beforeAll, describe, expect, test } from 'vitest';
import { signToken } from '../../../messaging/consent/tokens.ts';
import { contactOf, flowMessages } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { signBody } from '../../webhook/signature.ts';

const server = testServer();
let shop: TestCompany;
let last = 0;
const anEmail = (): string => `last${++last}@example.com`;
const aPhone = (): string => `+1213376${4000 + ++last}`;

beforeAll(async () => {
  shop = await server.company();
});

const run = async (...names: string[]): Promise<void> => {
  for (const name of names) await server.app.workers.find((worker) => worker.name === name)!.runOnce();
};
const upsert = async (body: object) => (await shop.marketing('POST', '/contacts', body)).body;
const patch = (id: number, body: object) => shop.marketing('PATCH', `/contacts/${id}`, body);

describe('an opt-out of a customer without a contact', () => {
  async function changed(email: string): Promise<void> {
    const { body } = await shop.commerce('POST', '/customers', { email, accepts_marketing: true });
    await shop.commerce('PATCH', `/customers/${body.data.id}`, { accepts_marketing: false });
    await run('outbox');
  }

  test('suppresses the address', async () => {
    const email = anEmail();
    await changed(email);
    const { consent } = await upsert({ email, consent: { email: 'subscribed' } });
    expect(consent.email).toMatchObject({ state: 'unsubscribed', source: 'shop' });
  });

  test('ends the subscription of another contact with that address', async () => {
    const email = anEmail();
    const { contact_id } = await upsert({ email });
    await changed(email);
    const { body } = await shop.marketing('GET', `/contacts/${contact_id}`);
    expect(body.consent.email).toMatchObject({ state: 'never', source: 'shop' });
  });
});

describe('a bulk upsert has the result of single upserts:', () => {
  const batch = async (...contacts: object[]) => {
    const { body } = await shop.marketing('POST', '/contacts/batch', { contacts });
    const id = body.results.at(-1).contact_id;
    return (await shop.marketing('GET', `/contacts/${id}`)).body.consent.email.state;
  };

  test('an unsubscription stays with an address that is given up within it', async () => {
    // The company's first unsubscription: no suppression exists when the bulk upsert starts.
    shop = await server.company();
    const [email, external_id] = [anEmail(), anEmail()];
    const no = { external_id, email, consent: { email: 'unsubscribed' } };
    expect(await batch(no, { external_id, email: anEmail() }, { email })).toBe('unsubscribed');
  });

  test('a suppression of the first address moves with the contact to the second', async () => {
    const [email, external_id] = [anEmail(), anEmail()];
    const { contact_id } = await upsert({ email });
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    expect(await batch({ external_id, email }, { external_id, email: anEmail() })).toBe('unsubscribed');
  });
});

test('a phone number that a merge brings keeps its consent', async () => {
  const [external_id, phone] = [anEmail(), aPhone()];
  await upsert({ external_id, phone: aPhone(), consent: { sms: 'subscribed' } });
  await upsert({ phone });
  expect(await upsert({ external_id, phone })).toMatchObject({ phone, consent: { sms: { state: 'never' } } });
});

test('one-click unsubscribe suppresses the address of the mail, whatever the contact has now', async () => {
  const email = anEmail();
  const contactId = await contactOf(server, shop, { email });
  const { ids } = await flowMessages(server, shop, [contactId]);
  await run('sender');
  await patch(contactId, { email: anEmail() });
  const named = { companyId: shop.company_id, subject: contactId, detail: ids[0]! };
  const token = signToken(server.app.messaging.tokenKey, 'unsubscribe', named);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await server.request('POST', `/u/${token}`, { raw: 'List-Unsubscribe=One-Click', headers });
  expect((await upsert({ email })).consent.email.state).toBe('unsubscribed');
});

describe('a link that confirms', () => {
  async function asked() {
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'Asked', double_opt_in: true });
    const [listId, email] = [list.list_id, anEmail()];
    const { contact_id: contactId } = await upsert({ external_id: email, email, list_ids: [listId] });
    await run('confirmations', 'sender');
    const { body } = await shop.marketing('GET', `/mailbox/latest?to=${email}`);
    const { pathname } = new URL(/href="([^"]*\/u\/confirm\/[^"]*)"/.exec(body.html)![1]!);
    return { contactId, email, pathname };
  }

  test('does not confirm an address that it was not sent to', async () => {
    const { contactId, pathname } = await asked();
    const email = anEmail();
    const refused = await upsert({ email });
    await shop.marketing('POST', `/contacts/unsubscribe/${refused.contact_id}`);
    await patch(refused.contact_id, { email: null, external_id: `gave-up-${email}` });
    await patch(contactId, { email });
    expect((await server.request('POST', pathname)).body).toContain('nothing to confirm');
    expect((await upsert({ email })).consent.email.state).toBe('unsubscribed');
  });

  test('lifts the suppression of the address that it was sent to', async () => {
    const { contactId, email, pathname } = await asked();
    await shop.marketing('POST', `/contacts/unsubscribe/${contactId}`);
    expect((await server.request('POST', pathname)).body).toContain('Thank you');
    expect((await upsert({ email })).consent.email.state).toBe('subscribed');
  });
});

describe('an address that bounced', () => {
  const report = async (type: 'bounce' | 'soft', email: string): Promise<void> => {
    const body = JSON.stringify({ reports: [{ type, email }] });
    expect((await sendBounces(body)).status).toBe(200);
  };
  const sendBounces = (raw: string) => {
    const signature = signBody(shop.webhook_secret, raw);
    const headers = { 'x-company-id': String(shop.company_id), 'x-webhook-signature': signature };
    return server.request('POST', '/marketing/bounces', { raw, headers });
  };
  const of = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body;

  test('reported through the API stays suppressed for every contact', async () => {
    const [email, external_id] = [anEmail(), anEmail()];
    const { contact_id } = await upsert({ external_id, email, status: 'bounced' });
    await patch(contact_id, { email: anEmail() });
    expect((await of(contact_id)).status).toBe('subscribed');
    expect((await upsert({ email })).status).toBe('bounced');
    await patch(contact_id, { email: anEmail(), status: 'bounced' });
    await shop.marketing('POST', `/contacts/resubscribe/${contact_id}`);
    const { email: taken } = await of(contact_id);
    await patch(contact_id, { email: anEmail() });
    expect((await upsert({ email: taken })).status).toBe('subscribed');
  });

  test('and is given up within the same bulk upsert stays suppressed', async () => {
    const [email, external_id] = [anEmail(), anEmail()];
    const contacts = [{ external_id, email, status: 'bounced' }, { external_id, email: anEmail() }, { email }];
    const { body } = await shop.marketing('POST', '/contacts/batch', { contacts });
    const statuses = await Promise.all([1, 2].map(async (i) => (await of(body.results[i].contact_id)).status));
    expect(statuses).toEqual(['subscribed', 'bounced']);
  });

  test('keeps its bounce when the contact changes to another address', async () => {
    const { contact_id } = await upsert({ external_id: anEmail(), email: anEmail(), status: 'bounced' });
    await patch(contact_id, { email: null });
    await patch(contact_id, { email: anEmail() });
    expect((await of(contact_id)).status).toBe('subscribed');
  });

  test.each(['before', 'after'] as const)('does not hide an unsubscription made %s', async (when) => {
    const [email, external_id] = [anEmail(), anEmail()];
    const { contact_id } = await upsert({ external_id, email });
    if (when === 'after') await report('bounce', email);
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    if (when === 'before') await report('bounce', email);
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    const again = await upsert({ external_id, email });
    expect(again.consent.email.state).toBe('unsubscribed');
    await patch(again.contact_id, { email: anEmail() });
    expect((await of(again.contact_id)).status).toBe('unsubscribed');
  });

  test('does not prevent a subscription of the next address', async () => {
    const email = anEmail();
    const { body } = await shop.commerce('POST', '/customers', { email, accepts_marketing: true });
    const path = `/customers/${body.data.id}`;
    await run('outbox');
    await shop.commerce('PATCH', path, { accepts_marketing: false });
    await report('bounce', email);
    await shop.commerce('PATCH', path, { accepts_marketing: true });
    await run('outbox');
    const { contact_id, ...found } = await upsert({ external_id: String(body.data.id) });
    expect([found.status, found.consent.email.state]).toEqual(['bounced', 'subscribed']);
    await shop.commerce('PATCH', path, { email: anEmail() });
    await run('outbox');
    expect((await of(contact_id)).status).toBe('subscribed');
    // The first address is bounced for every contact, and nobody has unsubscribed it.
    expect(await upsert({ email })).toMatchObject({ status: 'bounced', consent: { email: { state: 'subscribed' } } });
  });

  test('five times temporarily stays suppressed when the contact is erased', async () => {
    const [email, external_id] = [anEmail(), anEmail()];
    const { contact_id } = await upsert({ external_id, email });
    for (let times = 0; times < 5; times++) await report('soft', email);
    expect((await of(contact_id)).status).toBe('bounced');
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    expect((await upsert({ external_id, email })).status).toBe('bounced');
  });
});
