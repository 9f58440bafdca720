import { beforeEach, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { testPerson } from '../../../testing/people.ts';
import { contactInvariants } from '../invariants.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let n = 0;

beforeEach(async () => {
  shop = await server.company();
});

async function contact(fields: object): Promise<number> {
  const { status, body } = await shop.marketing('POST', '/contacts', fields);
  expect(status).toBe(201);
  return body.contact_id;
}
const merge = (into: number, other: unknown, headers?: Record<string, string>) =>
  shop.marketing('POST', `/contacts/${into}/merge`, { other_contact_id: other }, headers);
const read = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/contacts/${id}`)).body;
const email = (): string => `merge${++n}@example.com`;

describe('POST /contacts/{id}/merge', () => {
  test('makes one contact of two, with what only the other has, and all that hung on it', async () => {
    const [own, theirs] = [email(), email()];
    const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
    const into = await contact({ email: own, first_name: 'Ann', tags: ['a'], properties: { size: 'S', city: 'Rome' } });
    const other = await contact({
      email: theirs,
      first_name: 'Anna',
      last_name: 'Lee',
      external_id: 'x-1',
      tags: ['b'],
      properties: { size: 'M', color: 'red' },
      list_ids: [list.list_id],
    });
    await shop.marketing('POST', '/events', {
      event_type: 'product_viewed',
      event_data: { email: theirs, product_id: '7', product_name: 'Tea' },
    });
    const { status, body } = await merge(into, other);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      contact_id: into,
      email: own,
      external_id: 'x-1',
      first_name: 'Ann',
      last_name: 'Lee',
      tags: ['a', 'b'],
      properties: { size: 'S', city: 'Rome', color: 'red' },
      status: 'subscribed',
      lists: [{ list_id: list.list_id, status: 'active' }],
    });
    expect(await read(into)).toEqual({ ...body, last_activity_at: null });
    expect((await shop.marketing('GET', `/contacts/${other}`)).status).toBe(404);
    const { body: timeline } = await shop.marketing('GET', `/contacts/${into}/timeline`);
    const types = JSON.stringify(timeline);
    expect(types).toContain('product_viewed');
    expect(types).toContain('merged');
    const audit = await server.rows(
      "select target, details from audit_log where company_id = $1 and action = 'contact.merge'",
      [shop.company_id],
    );
    expect(audit).toEqual([{ target: `contact:${into}`, details: { from: other } }]);
    expect((await checkInvariants(server.app.db, contactInvariants)).filter((one) => !one.ok)).toEqual([]);
  });

  test.each([
    // [winner, loser, merged] of the e-mail consent
    ['subscribed', 'subscribed', 'subscribed'],
    ['subscribed', 'never', 'never'],
    ['never', 'subscribed', 'never'],
    ['subscribed', 'unsubscribed', 'unsubscribed'],
    ['unsubscribed', 'subscribed', 'unsubscribed'],
    ['never', 'unsubscribed', 'unsubscribed'],
  ])('of %s and %s the stricter word counts: %s', async (winner, loser, merged) => {
    const made = (state: string) => contact({ email: email(), consent: { email: state } });
    const [into, other] = [await made(winner), await made(loser)];
    const { body } = await merge(into, other);
    expect(body.consent.email.state).toBe(merged);
  });

  test('a never that is about no number is no word about the number of the other', async () => {
    const into = await contact({ email: email() });
    const other = await contact({ phone: '+14155550111', consent: { sms: 'subscribed' } });
    const { body } = await merge(into, other);
    expect(body).toMatchObject({
      phone: '+14155550111',
      consent: { email: { state: 'subscribed' }, sms: { state: 'subscribed' } },
    });
  });

  test('an unsubscription of the other address stays with that address as well', async () => {
    const theirs = email();
    const into = await contact({ email: email() });
    const other = await contact({ email: theirs });
    await shop.marketing('POST', `/contacts/unsubscribe/${other}`, {});
    expect((await merge(into, other)).body.status).toBe('unsubscribed');
    const { body: again } = await shop.marketing('POST', '/contacts', { email: theirs });
    expect(again).toMatchObject({ created: true, status: 'unsubscribed' });
  });

  test('a repetition, with or without an Idempotency-Key, changes nothing', async () => {
    const [into, other] = [await contact({ email: email() }), await contact({ email: email() })];
    const headers = { 'idempotency-key': 'merge-once' };
    const first = await merge(into, other, headers);
    expect(first.status).toBe(200);
    expect((await merge(into, other, headers)).body).toEqual(first.body);
    const again = await merge(into, other);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const audit = await server.rows("select 1 from audit_log where company_id = $1 and action = 'contact.merge'", [
      shop.company_id,
    ]);
    expect(audit).toHaveLength(1);
  });

  test('at the same time in both directions one of them wins, and the other is refused', async () => {
    const [one, two] = [await contact({ email: email() }), await contact({ email: email() })];
    const statuses = (await Promise.all([merge(one, two), merge(two, one)])).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 404]);
  });

  test('refuses the same contact, an unknown contact, one of another company, and two with an external id', async () => {
    const into = await contact({ email: email(), external_id: 'a' });
    const known = await contact({ email: email(), external_id: 'b' });
    const mine = shop;
    shop = await server.company();
    const foreign = await contact({ email: email() });
    const theirs = shop;
    shop = mine;
    for (const [other, text] of [
      [into, 'must name another contact'],
      [foreign, 'Unknown contact'],
      [9_999_999, 'Unknown contact'],
      [known, 'contact_conflict'],
    ] as const) {
      const { status, body } = await merge(into, other);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(text);
    }
    expect((await merge(9_999_999, known)).status).toBe(404);
    expect((await merge(foreign, known)).status).toBe(404);
    expect(await read(known)).toMatchObject({ external_id: 'b' });
    shop = theirs;
    expect(await read(foreign)).toMatchObject({ contact_id: foreign });
  });

  test('requires permission to change contacts in the admin app', async () => {
    const [into, other] = [await contact({ email: email() }), await contact({ email: email() })];
    const path = `/${shop.company_id}/contacts/${into}/merge`;
    const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
    expect((await viewer.ask('POST', path, { other_contact_id: other })).status).toBe(403);
    const marketer = await testPerson(server, { [shop.company_id]: 'marketer' });
    expect((await marketer.ask('POST', path, { other_contact_id: other })).status).toBe(200);
  });
});
