import { beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../../invariants.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { contactInvariants } from '../contacts/invariants.ts';
import { confirmMembership } from '../contacts/service.ts';
import { claimUnconfirmed } from './service.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

let last = 0;
async function aContact(body: object = {}): Promise<{ id: number; email: string }> {
  const email = `member${++last}@example.com`;
  const response = await shop.marketing('POST', '/contacts', { email, ...body });
  return { id: Number(response.body.contact_id), email };
}

async function aList(body: object = {}): Promise<number> {
  return Number((await shop.marketing('POST', '/lists', { name: 'A list', ...body })).body.list_id);
}

const listsOf = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body.lists;
const countsOf = async (id: number) => (await shop.marketing('GET', `/lists/${id}`)).body.counts;
const add = (list: number, body: object) => shop.marketing('POST', `/lists/${list}/contacts`, body);
const remove = (list: number, body: object) => shop.marketing('POST', `/lists/${list}/contacts/remove`, body);

async function confirm(listId: number, contactId: number, ip?: string): Promise<boolean> {
  const { db, messaging } = server.app;
  const { email } = (await shop.marketing('GET', `/contacts/${contactId}`)).body;
  const membership = { companyId: shop.company_id, listId, contactId, email };
  return confirmMembership(db, messaging.suppressions, membership, server.clock.now(), { ip: ip ?? null });
}

describe('lists', () => {
  test('are created, read, updated, listed and deleted', async () => {
    const company = await server.company();
    const made = await company.marketing('POST', '/lists', { name: ' Newsletter ', description: 'Weekly' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      list_id: expect.any(Number),
      name: 'Newsletter',
      description: 'Weekly',
      double_opt_in: false,
      internal: false,
      counts: { active: 0, pending: 0, unsubscribed: 0 },
      created_at: '2026-03-15 12:00:00',
      updated_at: '2026-03-15 12:00:00',
    });
    const address = `/lists/${made.body.list_id}`;
    expect((await company.marketing('GET', address)).body).toEqual(made.body);
    const changed = await company.marketing('PATCH', address, { name: 'News', description: null, double_opt_in: true });
    expect(changed.body).toMatchObject({ name: 'News', description: '', double_opt_in: true });
    expect((await company.marketing('PATCH', address, { internal: true })).body).toMatchObject({ internal: true });
    expect((await company.marketing('PATCH', address, { name: 'News' })).body).toMatchObject({ internal: true });
    for (let i = 0; i < 3; i++) await company.marketing('POST', '/lists', { name: `List ${i}` });
    const page = await company.marketing('GET', '/lists?per_page=2&page=2');
    expect(page.body.lists.map((list: { name: string }) => list.name)).toEqual(['List 0', 'News']);
    expect(page.body.pagination).toEqual({ page: 2, per_page: 2, total: 4, total_pages: 2 });
    expect((await company.marketing('DELETE', address)).body).toEqual({ list_id: made.body.list_id, deleted: true });
    for (const [method, path] of [
      ['GET', address],
      ['PATCH', address],
      ['DELETE', address],
      ['POST', `${address}/contacts`],
      ['POST', `${address}/contacts/remove`],
    ] as const) {
      const body = method === 'POST' ? { contact_ids: [1] } : method === 'PATCH' ? { name: 'x' } : undefined;
      expect((await company.marketing(method, path, body)).status).toBe(404);
    }
    expect((await company.marketing('GET', '/lists')).body.pagination.total).toBe(3);
  });

  test('need a name', async () => {
    for (const body of [{}, { name: ' ' }, { name: null }, { name: 'x'.repeat(256) }]) {
      const response = await shop.marketing('POST', '/lists', body);
      expect(response.status).toBe(400);
      expect(response.body.details[0].field).toBe('name');
    }
  });

  test('of another company are not found', async () => {
    const other = await server.company();
    const id = (await other.marketing('POST', '/lists', { name: 'Theirs' })).body.list_id;
    expect((await shop.marketing('GET', `/lists/${id}`)).status).toBe(404);
    expect((await shop.marketing('PATCH', `/lists/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await shop.marketing('DELETE', `/lists/${id}`)).status).toBe(404);
    expect((await add(Number(id), { contact_ids: [1] })).status).toBe(404);
    expect((await shop.marketing('POST', '/contacts', { email: 'x@example.com', list_ids: [id] })).status).toBe(400);
  });
});

describe('a member of a list', () => {
  test('is added by id and e-mail, counted, and may be added again', async () => {
    const list = await aList();
    const [one, two] = [await aContact(), await aContact()];
    const body = { contact_ids: [one.id, 999_999], emails: [two.email.toUpperCase(), 'nobody@example.com', 'broken'] };
    const first = await add(list, body);
    expect(first.status).toBe(200);
    const not_found = { contact_ids: [999_999], emails: ['nobody@example.com', 'broken'] };
    expect(first.body).toEqual({ list_id: list, added: 2, unchanged: 0, not_found });
    expect((await add(list, body)).body).toEqual({ list_id: list, added: 0, unchanged: 2, not_found });
    expect(await listsOf(one.id)).toEqual([{ list_id: list, status: 'active' }]);
    expect(await countsOf(list)).toEqual({ active: 2, pending: 0, unsubscribed: 0 });
  });

  test('is never a contact of another company', async () => {
    const other = await server.company();
    const theirs = (await other.marketing('POST', '/contacts', { email: 'theirs@example.com' })).body.contact_id;
    const list = await aList();
    expect((await add(list, { contact_ids: [theirs] })).body).toMatchObject({
      added: 0,
      not_found: { contact_ids: [theirs] },
    });
    expect(await server.rows('select 1 from list_memberships where list_id = $1', [list])).toEqual([]);
  });

  test('is removed as if never added, and may be added again', async () => {
    const list = await aList();
    const { id, email } = await aContact();
    await add(list, { contact_ids: [id] });
    expect((await remove(list, { emails: [email] })).body).toMatchObject({ removed: 1, unchanged: 0 });
    expect((await remove(list, { emails: [email] })).body).toMatchObject({ removed: 0, unchanged: 1 });
    expect(await listsOf(id)).toEqual([]);
    expect((await add(list, { contact_ids: [id] })).body).toMatchObject({ added: 1 });
    expect(await countsOf(list)).toEqual({ active: 1, pending: 0, unsubscribed: 0 });
  });

  test('is named by 1 to 1,000 ids and e-mails', async () => {
    const list = await aList();
    const ids = Array.from({ length: 1_000 }, (_, i) => 900_000 + i);
    expect((await add(list, { contact_ids: ids })).status).toBe(200);
    for (const body of [
      {},
      { contact_ids: [] },
      { contact_ids: ids, emails: ['a@example.com'] },
      { contact_ids: [0] },
    ]) {
      expect((await add(list, body)).status).toBe(400);
      expect((await remove(list, body)).status).toBe(400);
    }
  });

  test('is added by an upsert, whose response shows it', async () => {
    const [one, two] = [await aList(), await aList({ double_opt_in: true })];
    const { id } = await aContact();
    const response = await shop.marketing('PATCH', `/contacts/${id}`, { list_ids: [two, one, one] });
    const lists = [
      { list_id: one, status: 'active' },
      { list_id: two, status: 'pending' },
    ];
    expect(response.body.lists).toEqual(lists);
    expect(await listsOf(id)).toEqual(lists);
    expect((await shop.marketing('PATCH', `/contacts/${id}`, { list_ids: [one] })).body.lists).toEqual(lists);
  });

  test('has time, source and IP of its consent stored', async () => {
    const list = await aList();
    const { id } = await aContact();
    const consent = { source: 'form', ip: '2001:db8::1', at: '2026-02-01T08:00:00+02:00' };
    await add(list, { contact_ids: [id], consent });
    const rows = await server.rows(
      'select consent_at, consent_source, consent_ip from list_memberships where list_id = $1',
      [list],
    );
    expect(rows).toEqual([
      { consent_at: new Date('2026-02-01T06:00:00Z'), consent_source: 'form', consent_ip: '2001:db8::1' },
    ]);
    for (const wrong of [{ ip: 'here' }, { at: 'yesterday' }, { source: '' }]) {
      expect((await add(list, { contact_ids: [id], consent: wrong })).status).toBe(400);
    }
  });

  test('that unsubscribes from the list is not brought back by others', async () => {
    const [plain, optIn] = [await aList(), await aList({ double_opt_in: true })];
    const { id } = await aContact({ list_ids: [plain, optIn] });
    const left = await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [plain, optIn] });
    expect(left.body).toMatchObject({
      status: 'subscribed',
      lists: [
        { list_id: plain, status: 'unsubscribed' },
        { list_id: optIn, status: 'unsubscribed' },
      ],
    });
    // Added to both again: pending on the list with double opt-in, still unsubscribed on the other.
    await add(plain, { contact_ids: [id] });
    await shop.marketing('PATCH', `/contacts/${id}`, { list_ids: [plain, optIn] });
    expect(await listsOf(id)).toEqual([
      { list_id: plain, status: 'unsubscribed' },
      { list_id: optIn, status: 'pending' },
    ]);
    const back = await shop.marketing('POST', `/contacts/resubscribe/${id}`, { list_ids: [plain] });
    expect(back.body.lists[0]).toEqual({ list_id: plain, status: 'active' });
    expect((await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [999_999] })).status).toBe(400);
  });

  test('is gone when the list is deleted; rows are deleted in the background', async () => {
    const list = await aList();
    const { id } = await aContact({ list_ids: [list] });
    await shop.marketing('DELETE', `/lists/${list}`);
    expect(await listsOf(id)).toEqual([]);
    expect((await shop.marketing('GET', `/contacts?list_id=${list}`)).body).toMatchObject({
      contacts: [],
      pagination: { total: 0 },
    });
    const purger = server.app.workers.find((worker) => worker.name === 'list-purger')!;
    while ((await purger.runOnce()) > 0);
    expect(await server.rows('select 1 from list_memberships where list_id = $1', [list])).toEqual([]);
  });

  test('that left is not brought back by removing and adding it', async () => {
    const list = await aList();
    const { id } = await aContact({ list_ids: [list] });
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [list] });
    const taken = await remove(list, { contact_ids: [id] });
    expect(taken.body).toMatchObject({ removed: 0, unchanged: 1 });
    await add(list, { contact_ids: [id] });
    expect(await listsOf(id)).toEqual([{ list_id: list, status: 'unsubscribed' }]);
  });

  test('is counted exactly, whatever changed', async () => {
    const list = await aList({ double_opt_in: true });
    const contacts = await Promise.all(Array.from({ length: 10 }, () => aContact()));
    const ids = contacts.map(({ id }) => id);
    await add(list, { contact_ids: ids });
    for (const id of ids.slice(0, 4)) {
      await confirm(list, id);
    }
    await shop.marketing('POST', `/contacts/unsubscribe/${ids[0]}`, { list_ids: [list] });
    await shop.marketing('DELETE', `/contacts/${ids[1]}`);
    await remove(list, { contact_ids: [ids[2]!, ids[9]!] });
    await server.rows("select fold_deltas('counter')");
    expect(await countsOf(list)).toEqual({ active: 1, pending: 5, unsubscribed: 1 });
  });
});

describe('double opt-in', () => {
  test('a pending member becomes active by confirming once; the consent is stored', async () => {
    const list = await aList({ double_opt_in: true });
    const { id } = await aContact({ list_ids: [list] });
    expect(await listsOf(id)).toEqual([{ list_id: list, status: 'pending' }]);
    expect(await confirm(list, id, '192.0.2.1')).toBe(true);
    expect(await listsOf(id)).toEqual([{ list_id: list, status: 'active' }]);
    expect(await confirm(list, id)).toBe(false);
    const rows = await server.rows(
      'select consent_source, consent_ip, consent_at from list_memberships where list_id = $1',
      [list],
    );
    expect(rows).toEqual([
      { consent_source: 'double_opt_in', consent_ip: '192.0.2.1', consent_at: server.clock.now() },
    ]);
  });

  test('confirming subscribes a contact again that had unsubscribed or bounced', async () => {
    const list = await aList({ double_opt_in: true });
    for (const status of ['unsubscribed', 'bounced']) {
      const { id } = await aContact({ status, list_ids: [list] });
      expect(await confirm(list, id)).toBe(true);
      expect((await shop.marketing('GET', `/contacts/${id}`)).body.status).toBe('subscribed');
    }
  });

  test('an old link changes nothing', async () => {
    const list = await aList({ double_opt_in: true });
    const { id } = await aContact({ list_ids: [list] });
    await confirm(list, id);
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [list] });
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`);
    expect(await confirm(list, id)).toBe(false);
    expect((await shop.marketing('GET', `/contacts/${id}`)).body).toMatchObject({
      status: 'unsubscribed',
      lists: [{ status: 'unsubscribed' }],
    });
    await shop.marketing('DELETE', `/lists/${list}`);
    expect(await confirm(list, id)).toBe(false);
  });

  test('each request to confirm is claimed once, and again after the contact left and was added again', async () => {
    const list = await aList({ double_opt_in: true });
    const contacts = [await aContact({ list_ids: [list] }), await aContact({ list_ids: [list] })];
    const { db, clock } = server.app;
    const claim = async () =>
      (await db.tx((tx) => claimUnconfirmed(tx, 1_000, clock.now())))
        .filter((one) => one.list_id === list)
        .map((one) => one.contact_id)
        .sort((a, b) => a - b);
    const claims = await Promise.all([claim(), claim()]);
    expect(claims.flat().sort((a, b) => a - b)).toEqual(contacts.map(({ id }) => id));
    expect(await claim()).toEqual([]);
    const { id } = contacts[0]!;
    await shop.marketing('POST', `/contacts/unsubscribe/${id}`, { list_ids: [list] });
    await add(list, { contact_ids: [id] });
    expect(await claim()).toEqual([id]);
  });
});

test('the invariants hold after all of these tests', async () => {
  const broken = (await checkInvariants(server.app.db, contactInvariants)).filter((finding) => !finding.ok);
  expect(broken).toEqual([]);
});
