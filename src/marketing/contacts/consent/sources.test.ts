import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../../testing/people.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;
let last = 0;
const anEmail = (): string => `source${++last}@example.com`;

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

/** A request of the admin app, to an endpoint of the marketing surface. */
async function ask(method: string, path: string, body?: unknown) {
  const response = await owner.ask(method, `/${shop.company_id}${path}`, body);
  expect([200, 201], JSON.stringify(response.body)).toContain(response.status);
  return response.body;
}

const person = () => `person:${owner.id}`;
const membership = (contact: number) =>
  server.rows('select consent_source from list_memberships where contact_id = $1', [contact]);

describe('a consent that is changed in the admin app names the person as its source', () => {
  test('of a new contact, and of the lists that it is put on', async () => {
    const { list_id } = await ask('POST', '/lists', { name: 'Friends' });
    const contact = await ask('POST', '/contacts', { email: anEmail(), list_ids: [list_id] });
    expect(contact.consent.email).toMatchObject({ state: 'subscribed', source: person() });
    expect(contact.consent.sms).toMatchObject({ state: 'never', source: person() });
    expect(await membership(contact.contact_id)).toEqual([{ consent_source: person() }]);
  });

  test('of a contact that is changed', async () => {
    const { body: contact } = await shop.marketing('POST', '/contacts', { email: anEmail() });
    expect(contact.consent.email.source).toBe('api');
    const changed = await ask('PATCH', `/contacts/${contact.contact_id}`, { status: 'unsubscribed' });
    expect(changed.consent.email).toMatchObject({ state: 'unsubscribed', source: person() });
    expect(changed.consent.sms).toMatchObject({ state: 'unsubscribed', source: person() });
  });

  test('of a contact of an import', async () => {
    const email = anEmail();
    const { results } = await ask('POST', '/contacts/batch', { contacts: [{ email }] });
    const contact = await ask('GET', `/contacts/${results[0].contact_id}`);
    expect(contact.consent.email.source).toBe(person());
  });

  test('of the members that are put on a list', async () => {
    const { body: contact } = await shop.marketing('POST', '/contacts', { email: anEmail() });
    const { list_id } = await ask('POST', '/lists', { name: 'More friends' });
    await ask('POST', `/lists/${list_id}/contacts`, { contact_ids: [contact.contact_id] });
    expect(await membership(contact.contact_id)).toEqual([{ consent_source: person() }]);
  });

  test('of an address on the suppression list, when a contact gets it', async () => {
    const email = anEmail();
    await ask('POST', '/suppressions', { addresses: [email] });
    const { body: contact } = await shop.marketing('POST', '/contacts', { email });
    expect(contact.consent.email).toMatchObject({ state: 'unsubscribed', source: person() });
  });
});
