import { beforeAll, describe, expect, test } from 'vitest';
import { contactOf, flowMessages } from '../../../messaging/testing-sending.ts';
import { signToken } from '../../../messaging/tokens.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';

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

describe('a customer’s no before the marketing side knows the customer', () => {
  async function changed(email: string): Promise<void> {
    const { body } = await shop.commerce('POST', '/customers', { email, accepts_marketing: true });
    await shop.commerce('PATCH', `/customers/${body.data.id}`, { accepts_marketing: false });
    await run('outbox');
  }

  test('is one of the address', async () => {
    const email = anEmail();
    await changed(email);
    const { consent } = await upsert({ email, consent: { email: 'subscribed' } });
    expect(consent.email).toMatchObject({ state: 'unsubscribed', source: 'shop' });
  });

  test('takes back what somebody else had vouched for', async () => {
    const email = anEmail();
    const { contact_id } = await upsert({ email });
    await changed(email);
    const { body } = await shop.marketing('GET', `/contacts/${contact_id}`);
    expect(body.consent.email).toMatchObject({ state: 'never', source: 'shop' });
  });
});

describe('a set of upserts ends as if one came after the other:', () => {
  const batch = async (...contacts: object[]) => {
    const { body } = await shop.marketing('POST', '/contacts/batch', { contacts });
    const id = body.results.at(-1).contact_id;
    return (await shop.marketing('GET', `/contacts/${id}`)).body.consent.email.state;
  };

  test('a no stays with an address that is given up within it', async () => {
    // The company's first no: nothing is suppressed when the set begins.
    shop = await server.company();
    const [email, external_id] = [anEmail(), anEmail()];
    const no = { external_id, email, consent: { email: 'unsubscribed' } };
    expect(await batch(no, { external_id, email: anEmail() }, { email })).toBe('unsubscribed');
  });

  test('a no that waited for the first address goes along to the second', async () => {
    const [email, external_id] = [anEmail(), anEmail()];
    const { contact_id } = await upsert({ email });
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`);
    await shop.marketing('DELETE', `/contacts/${contact_id}`);
    expect(await batch({ external_id, email }, { external_id, email: anEmail() })).toBe('unsubscribed');
  });
});

test('a phone number that comes with a merge brings along what was said of it', async () => {
  const [external_id, phone] = [anEmail(), aPhone()];
  await upsert({ external_id, phone: aPhone(), consent: { sms: 'subscribed' } });
  await upsert({ phone });
  expect(await upsert({ external_id, phone })).toMatchObject({ phone, consent: { sms: { state: 'never' } } });
});

test('one click is a no of the address that the mail came to, whatever the contact has by now', async () => {
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
    const ids = { companyId: shop.company_id, subject: contactId, detail: listId };
    return {
      contactId,
      email,
      pathname,
      ofBefore: `/u/confirm/${signToken(server.app.messaging.tokenKey, 'confirm', ids)}`,
    };
  }

  test.each(['pathname', 'ofBefore'] as const)(
    'says nothing of an address that it did not come to (%s)',
    async (link) => {
      const { contactId, ...links } = await asked();
      const email = anEmail();
      const refused = await upsert({ email });
      await shop.marketing('POST', `/contacts/unsubscribe/${refused.contact_id}`);
      await patch(refused.contact_id, { email: null, external_id: `gave-up-${email}` });
      await patch(contactId, { email });
      expect((await server.request('POST', links[link])).body).toContain('nothing to confirm');
      expect((await upsert({ email })).consent.email.state).toBe('unsubscribed');
    },
  );

  test.each(['pathname', 'ofBefore'] as const)('takes back a no of the one that it came to (%s)', async (link) => {
    const { contactId, ...links } = await asked();
    await shop.marketing('POST', `/contacts/unsubscribe/${contactId}`);
    expect((await server.request('POST', links[link])).body).toContain('Thank you');
    expect((await upsert({ email: links.email })).consent.email.state).toBe('subscribed');
  });
});
