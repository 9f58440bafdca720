import { beforeAll, describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import { allSlices } from '../../work/slices.ts';
import { purgeBulkChanges } from './undo.ts';

const server = testServer();
let shop: TestCompany;
let other: TestCompany;
let owner: TestPerson;
let customer: number;
let tea: number;

const made = async (of: TestCompany, path: string, body: object): Promise<number> => {
  const response = await of.commerce('POST', path, body);
  if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return response.body.data.id;
};
const order = (city: string) =>
  made(shop, '/orders', {
    customer_id: customer,
    items: [{ product_id: tea, qty: 1 }],
    shipping_address: '1 Lane',
    shipping_city: city,
    shipping_zip: '0150',
    shipping_country: 'NO',
  });
const start = (path: string, filters: object, person = owner) =>
  person.ask('POST', `/${shop.company_id}${path}`, { filters });
const read = async (id: number) => (await owner.ask('GET', `/${shop.company_id}/bulk-actions/${id}`)).body;
const worker = () => server.app.workers.find(({ name }) => name === 'bulk-actions')!;
const work = async (): Promise<void> => {
  while ((await worker().runOnce()) > 0);
};
const statusOf = async (id: number) => (await shop.commerce('GET', `/orders/${id}`)).body.data.status;

beforeAll(async () => {
  shop = await server.company();
  other = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  tea = await made(shop, '/products', { name: 'Tea', price: 5, stock_qty: 500 });
  customer = await made(shop, '/customers', { email: 'ann@example.com' });
});

test('all orders that match are shipped once, with their histories and the audit log; others and later ones are left alone', async () => {
  const ids = [];
  for (let n = 0; n < 120; n++) ids.push(await order('Oslo'));
  const [cancelled, delivered] = ids as [number, number];
  await shop.commerce('PATCH', `/orders/${cancelled}/status`, { status: 'cancelled' });
  await shop.commerce('PATCH', `/orders/${delivered}/status`, { status: 'processing' });
  await shop.commerce('PATCH', `/orders/${delivered}/status`, { status: 'delivered' });
  const { status, body } = await start('/orders/ship-all', { status: 'pending' });
  expect([status, body]).toMatchObject([201, { action: 'ship_orders', status: 'running', total: 118, changed: 0 }]);
  const later = await order('Oslo');
  await work();
  expect(await read(body.id)).toMatchObject({ status: 'done', total: 118, changed: 118, refused: 0, refusals: [] });
  expect(await Promise.all([cancelled, delivered, later, ids[5]!, ids[119]!].map(statusOf))).toEqual([
    ...['cancelled', 'delivered', 'pending', 'shipped', 'shipped'],
  ]);
  const { data } = (await shop.commerce('GET', `/orders/${ids[5]}/history`)).body;
  expect(data.filter(({ to }: { to: string }) => to === 'shipped')).toMatchObject([{ actor: `admin:${owner.id}` }]);
  const { body: log } = await owner.ask('GET', `/${shop.company_id}/audit?action=bulk.`);
  expect(JSON.stringify(log)).toContain('bulk.ship_orders');
});

test('a record that cannot be changed is reported and skipped', async () => {
  const ids = [await order('Bergen'), await order('Bergen'), await order('Bergen')];
  await server.rows(`create function refuse() returns trigger language plpgsql as $$ begin
    if new.id = ${ids[1]} and new.status = 'shipped' then raise check_violation; end if; return new; end $$`);
  await server.rows('create trigger refuse before update on orders for each row execute function refuse()');
  const { body } = await start('/orders/ship-all', { customer_id: customer, status: 'pending' });
  await work();
  await server.rows('drop trigger refuse on orders');
  expect(await read(body.id)).toMatchObject({
    status: 'done',
    refused: 1,
    refusals: [{ id: ids[1], message: 'An internal error: see the log of the server' }],
  });
  expect(await Promise.all(ids.map(statusOf))).toEqual(['shipped', 'pending', 'shipped']);
  await shop.commerce('PATCH', `/orders/${ids[1]}/status`, { status: 'cancelled' });
});

test('it is stopped where a person says so, taken over when a worker died, and three at most are under way', async () => {
  for (let n = 0; n < 3; n++) await order('Moss');
  const first = (await start('/orders/ship-all', {})).body;
  const stopped = await owner.ask('POST', `/${shop.company_id}/bulk-actions/${first.id}/cancel`);
  expect(stopped.body).toMatchObject({ status: 'cancelled', changed: 0 });
  const again = (await start('/orders/ship-all', {})).body;
  // The state after a worker died while it held the action.
  await server.rows("update bulk_actions set lease_until = clock_timestamp() + interval '30 seconds' where id = $1", [
    again.id,
  ]);
  await work();
  expect(await read(again.id)).toMatchObject({ status: 'running', changed: 0 });
  await start('/orders/ship-all', {});
  await start('/orders/ship-all', {});
  expect((await start('/orders/ship-all', {})).status).toBe(400);
  await server.rows('update bulk_actions set lease_until = clock_timestamp() where id = $1', [again.id]);
  await work();
  expect(await read(again.id)).toMatchObject({ status: 'done', total: 3 });
  expect((await read(first.id)).status).toBe('cancelled');
  const sums = await server.rows<{ n: number }>('select sum(changed)::int as n from bulk_actions where id > $1', [
    first.id,
  ]);
  expect(sums).toEqual([{ n: 3 }]);
});

test('products are archived by the filters of their list, only in this company', async () => {
  const names = ['Green tea bowl', 'Black tea bowl', 'Spoon'];
  for (const name of names) await made(shop, '/products', { name, price: 5, stock_qty: 1, categories: ['table'] });
  const foreign = await made(other, '/products', { name: 'Tea bowl', price: 5, stock_qty: 1 });
  const { body } = await start('/products/archive-all', { search: 'bowl', category: 'table', in_stock: true });
  await work();
  expect(await read(body.id)).toMatchObject({ action: 'archive_products', status: 'done', total: 2, changed: 2 });
  const left = (await shop.commerce('GET', '/products?category=table')).body;
  expect([left.data.map(({ name }: { name: string }) => name), left.meta.pagination.total]).toEqual([['Spoon'], 1]);
  expect((await other.commerce('GET', `/products/${foreign}`)).body.data.archived).toBe(false);
  const stranger = await testPerson(server, { [other.company_id]: 'owner' });
  expect((await stranger.ask('GET', `/${other.company_id}/bulk-actions/${body.id}`)).status).toBe(404);
});

test('archived products that match are restored, and others stay where they are', async () => {
  const names = ['Old pot', 'Old pan', 'Old lid'];
  const ids = [];
  for (const name of names) ids.push(await made(shop, '/products', { name, price: 5, categories: ['attic'] }));
  for (const id of ids) await shop.commerce('PATCH', `/products/${id}`, { archived: true });
  const { body } = await start('/products/restore-all', { search: 'old p', archived: true });
  await work();
  expect(await read(body.id)).toMatchObject({ action: 'restore_products', status: 'done', total: 2, changed: 2 });
  const listed = async (archived: boolean) =>
    (await shop.commerce('GET', `/products?category=attic&archived=${archived}&sort=name_asc`)).body.data.map(
      ({ name }: { name: string }) => name,
    );
  expect([await listed(false), await listed(true)]).toEqual([['Old pan', 'Old pot'], ['Old lid']]);
});

const tag = (path: string, filters: object, tag: string) =>
  owner.ask('POST', `/${shop.company_id}/contacts/${path}`, { filters, tag });
const tagged = async (name: string) =>
  (await shop.marketing('GET', `/contacts?tag=${name}&sort=oldest&per_page=100`)).body;

test('matching contacts are tagged and untagged in sets, once each; later contacts are not', async () => {
  const contacts = Array.from({ length: 250 }, (_, n) => ({ email: `p${n}@example.net`, tags: n % 2 ? ['odd'] : [] }));
  await shop.marketing('POST', '/contacts/batch', { contacts });
  await other.marketing('POST', '/contacts', { email: 'p1@example.net', tags: ['odd'] });
  await shop.marketing('POST', '/contacts', { email: 'already@example.net', tags: ['odd', 'vip'] });
  const { status, body } = await tag('tag-all', { tag: 'odd' }, 'vip');
  expect([status, body]).toMatchObject([201, { action: 'tag_contacts', status: 'running', total: 125 }]);
  await shop.marketing('POST', '/contacts', { email: 'later@example.net', tags: ['odd'] });
  await work();
  expect(await read(body.id)).toMatchObject({ status: 'done', total: 125, changed: 125, refused: 0 });
  const { contacts: vips, pagination } = await tagged('vip');
  expect([pagination.total, vips.some(({ email }: { email: string }) => email === 'later@example.net')]).toEqual([
    126,
    false,
  ]);
  expect((await other.marketing('GET', '/contacts?tag=vip')).body.pagination.total).toBe(0);
  const { body: log } = await owner.ask('GET', `/${shop.company_id}/audit?action=bulk.tag`);
  expect(JSON.stringify(log)).toContain('"tag":"vip"');

  const rules = [{ field: 'tags', comparison: 'equals', value: 'vip' }];
  const segment = await shop.marketing('POST', '/segments', { name: 'V', conditions: { operator: 'and', rules } });
  const untag = await tag('untag-all', { segment_id: segment.body.segment_id, search: 'p' }, 'vip');
  expect(untag.body.total).toBe(126);
  await work();
  expect((await read(untag.body.id)).changed).toBe(126);
  expect((await tagged('vip')).pagination.total).toBe(0);
  expect((await tag('tag-all', { list_id: 987654 }, 'x')).body.total).toBe(0);
  await work();
});

test('a list is tagged, and contacts who leave it in the meantime are skipped', async () => {
  const list = (await shop.marketing('POST', '/lists', { name: 'Tagged' })).body.list_id;
  const emails = ['l1@example.net', 'l2@example.net'];
  await shop.marketing('POST', '/contacts/batch', { contacts: emails.map((email) => ({ email })) });
  await shop.marketing('POST', `/lists/${list}/contacts`, { emails });
  const { body } = await tag('tag-all', { list_id: list, status: 'subscribed' }, 'listed');
  expect(body.total).toBe(2);
  await shop.marketing('POST', `/lists/${list}/contacts/remove`, { emails: [emails[1]] });
  await work();
  const { contacts } = await tagged('listed');
  expect(contacts.map(({ email }: { email: string }) => email)).toEqual([emails[0]]);
  const marketer = await testPerson(server, { [shop.company_id]: 'marketer' });
  const { body: begun } = await marketer.ask('POST', `/${shop.company_id}/contacts/tag-all`, { filters: {}, tag: 'y' });
  const stop = (id: number) => marketer.ask('POST', `/${shop.company_id}/bulk-actions/${id}/cancel-tagging`);
  expect((await stop(begun.id)).body).toMatchObject({ status: 'cancelled', changed: 0 });
  const { body: shipping } = await start('/orders/ship-all', {});
  expect((await stop(shipping.id)).status).toBe(404);
  await work();
  const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
  const refused = await viewer.ask('POST', `/${shop.company_id}/contacts/tag-all`, { filters: {}, tag: 'x' });
  expect(refused.status).toBe(403);
});

test('sets of contacts that a worker was killed over are done once by the next', async () => {
  const { body } = await tag('tag-all', { search: 'example.net' }, 'again');
  const { total } = body;
  expect(total).toBeGreaterThan(200);
  // The state after a worker died after its first set: committed changes are counted, and its lease remains.
  await server.rows(`create function die() returns trigger language plpgsql as $$ begin
    if new.changed > 100 then raise query_canceled; end if; return new; end $$`);
  await server.rows('create trigger die before update on bulk_actions for each row execute function die()');
  await work().catch(() => undefined);
  await server.rows('drop trigger die on bulk_actions');
  expect(await read(body.id)).toMatchObject({ status: 'running', changed: 100 });
  expect((await tagged('again')).pagination.total).toBe(100);
  await server.rows('update bulk_actions set lease_until = null where id = $1', [body.id]);
  await work();
  expect(await read(body.id)).toMatchObject({ status: 'done', changed: total, refused: 0 });
  expect((await tagged('again')).pagination.total).toBe(total);
});

describe('undo of a tagging', () => {
  const at = (path: string) => `/${shop.company_id}${path}`;
  const undo = (id: number, person = owner) => person.ask('POST', at(`/bulk-actions/${id}/undo`));
  const emailsWith = async (name: string): Promise<string[]> =>
    (await tagged(name)).contacts.map(({ email }: { email: string }) => email).sort();
  const make = (emails: string[], tags: string[]) =>
    shop.marketing('POST', '/contacts/batch', { contacts: emails.map((email) => ({ email, tags })) });
  const change = async (email: string, body: object) => {
    const { contacts } = (await shop.marketing('GET', `/contacts?search=${email}`)).body;
    expect((await shop.marketing('PATCH', `/contacts/${contacts[0].contact_id}`, body)).status).toBe(200);
  };

  test('removes the tag once from contacts who got it from the action and still have it', async () => {
    await make(['u1@undo.example', 'u2@undo.example', 'u3@undo.example'], ['undo']);
    await make(['had@undo.example'], ['undo', 'sale']);
    const { body } = await tag('tag-all', { tag: 'undo' }, 'sale');
    expect((await undo(body.id)).body.message).toContain('still under way');
    await work();
    await change('u2@undo.example', { remove_tags: ['sale'] });
    await make(['later@undo.example'], ['undo', 'sale']);
    const [begun, twice] = await Promise.all([undo(body.id), undo(body.id)]);
    expect([begun.status, twice.status].sort()).toEqual([201, 400]);
    const started = begun.status === 201 ? begun : twice;
    expect(started.body).toMatchObject({ action: 'undo_tagging', status: 'running', total: 2 });
    await work();
    expect(await read(started.body.id)).toMatchObject({ status: 'done', changed: 2, refused: 0 });
    expect(await emailsWith('sale')).toEqual(['had@undo.example', 'later@undo.example']);
    expect((await undo(body.id)).body.message).toContain('already');
    expect((await undo(started.body.id)).status).toBe(404);
    const { body: log } = await owner.ask('GET', at('/audit?action=bulk.undo_tagging'));
    expect(log.entries[0].details).toMatchObject({ of: body.id, tag: 'sale', added: true });
  });

  test('restores the tag of contacts who lost it by the action and still lack it', async () => {
    await make(['g1@give.example', 'g2@give.example'], ['gift']);
    await make(['never@give.example'], ['other']);
    const { body } = await tag('untag-all', { search: 'give.example' }, 'gift');
    await work();
    await change('g2@give.example', { tags: ['gift'] });
    expect((await undo(body.id)).body.total).toBe(1);
    await work();
    expect(await emailsWith('gift')).toEqual(['g1@give.example', 'g2@give.example']);
  });

  test('a contact that was tagged by another request during the action keeps the tag', async () => {
    await make(['r1@race.example', 'r2@race.example'], ['race']);
    const { body } = await tag('tag-all', { tag: 'race' }, 'mine');
    await change('r2@race.example', { tags: ['mine'] });
    await work();
    await undo(body.id);
    await work();
    expect(await emailsWith('mine')).toEqual(['r2@race.example']);
  });

  test('undoes the finished part of a stopped action, and can be started again after it was stopped', async () => {
    await make(
      Array.from({ length: 150 }, (_, n) => `s${n}@stop.example`),
      ['stop'],
    );
    const { body } = await tag('tag-all', { tag: 'stop' }, 'half');
    await work();
    await server.rows("update bulk_actions set status = 'cancelled' where id = $1", [body.id]);
    const first = (await undo(body.id)).body;
    expect((await owner.ask('POST', at(`/bulk-actions/${first.id}/cancel-tagging`))).body.status).toBe('cancelled');
    expect((await undo(body.id)).body.total).toBe(150);
    await work();
    expect((await tagged('half')).pagination.total).toBe(0);
  });

  test('needs contacts:write, works for the own company only, and lasts 7 days', async () => {
    await make(['w@week.example'], ['week']);
    const { body } = await tag('tag-all', { tag: 'week' }, 'old');
    await work();
    const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
    expect((await undo(body.id, viewer)).status).toBe(403);
    const stranger = await testPerson(server, { [other.company_id]: 'owner' });
    expect((await stranger.ask('POST', `/${other.company_id}/bulk-actions/${body.id}/undo`)).status).toBe(404);
    const { body: shipping } = await start('/orders/ship-all', {});
    expect((await undo(shipping.id)).status).toBe(404);
    await work();
    const purge = () => allSlices(purgeBulkChanges(server.app.db, server.clock));
    server.clock.advance(7 * 24 * 3_600_000 - 60_000);
    await purge();
    expect(await server.rows('select 1 from bulk_action_changes where bulk_action_id = $1', [body.id])).toHaveLength(1);
    server.clock.advance(120_000);
    await purge();
    expect(await server.rows('select 1 from bulk_action_changes')).toEqual([]);
    // The week-old session has ended.
    owner = await testPerson(server, { [shop.company_id]: 'owner' });
    expect((await undo(body.id)).status).toBe(400);
  });
});
