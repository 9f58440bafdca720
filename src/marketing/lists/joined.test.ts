import { expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

/** The event `list_joined`: each way into a list raises it once, when the membership becomes active. */
const server = testServer();

async function run(...names: string[]): Promise<void> {
  for (const name of names) {
    const worker = server.app.workers.find((one) => one.name === name)!;
    while ((await worker.runOnce()) > 0);
  }
}

const listIn = async (shop: TestCompany, input: object = {}): Promise<number> =>
  (await shop.marketing('POST', '/lists', { name: 'News', ...input })).body.list_id;

/** A contact, on the lists given. */
const contactIn = async (shop: TestCompany, input: object): Promise<number> =>
  (await shop.marketing('POST', '/contacts', input)).body.contact_id;

/** The data of the events `list_joined`, after the outbox was emptied. */
async function joinsOf(shop: TestCompany) {
  await run('outbox');
  const rows = await server.rows<{ contact_id: number; data: object }>(
    "select contact_id, data from events where company_id = $1 and event_type = 'list_joined' order by event_id",
    [shop.company_id],
  );
  return rows.map(({ contact_id, data }) => ({ kept_with: Number(contact_id), ...data }));
}

test('an upsert and the members of a list raise it once for each new membership', async () => {
  const shop = await server.company();
  const list_id = await listIn(shop);
  const first = await contactIn(shop, { email: 'a@example.com', list_ids: [list_id] });
  await contactIn(shop, { email: 'a@example.com', list_ids: [list_id] });
  // Without an e-mail address: the event is found by the contact's id.
  const second = await contactIn(shop, { phone: '+4915123456789' });
  for (let i = 0; i < 2; i++) {
    await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: [first, second] });
  }
  expect(await joinsOf(shop)).toEqual([
    { kept_with: first, contact_id: first, list_id, list_name: 'News' },
    { kept_with: second, contact_id: second, list_id, list_name: 'News' },
  ]);
});

test('a membership that waits for a confirmation raises none, a return to the list does', async () => {
  const shop = await server.company();
  const list_id = await listIn(shop, { double_opt_in: true });
  const id = await contactIn(shop, { email: 'b@example.com', list_ids: [list_id] });
  expect(await joinsOf(shop)).toEqual([]);
  for (const action of ['unsubscribe', 'resubscribe']) {
    const { status } = await shop.marketing('POST', `/contacts/${action}/${id}`, { list_ids: [list_id] });
    expect(status).toBe(200);
  }
  expect(await joinsOf(shop)).toMatchObject([{ kept_with: id, list_id }]);
});

test('it starts the flows of that list, and none for a contact that is deleted or merged away meanwhile', async () => {
  const shop = await server.company();
  const [wanted, other] = [await listIn(shop), await listIn(shop, { name: 'Other' })];
  const rules = [{ field: 'list_id', comparison: 'equals', value: wanted }];
  const flow = {
    name: 'Welcome',
    trigger_type: 'list_joined',
    trigger_conditions: { rules },
    steps: [{ step_id: 'tag', type: 'add_tag', config: { tag: 'welcome' } }],
    connections: [{ from: 'trigger', to: 'tag' }],
  };
  const { flow_id } = (await shop.marketing('POST', '/flows', flow)).body;
  expect((await shop.marketing('POST', `/flows/activate/${flow_id}`)).status).toBe(200);
  const joined = await contactIn(shop, { email: 'c@example.com', list_ids: [wanted] });
  const elsewhere = await contactIn(shop, { email: 'd@example.com', list_ids: [other] });
  const gone = await contactIn(shop, { email: 'e@example.com', list_ids: [wanted] });
  await shop.marketing('DELETE', `/contacts/${gone}`);
  const merged = await contactIn(shop, { email: 'f@example.com', list_ids: [wanted] });
  const into = await contactIn(shop, { email: 'g@example.com' });
  expect((await shop.marketing('POST', `/contacts/${into}/merge`, { other_contact_id: merged })).status).toBe(200);
  expect((await joinsOf(shop)).map(({ kept_with }) => kept_with)).toEqual([joined, elsewhere, into]);
  await run('flows');
  const tags = async (id: number) => (await shop.marketing('GET', `/contacts/${id}`)).body.tags;
  expect([await tags(joined), await tags(elsewhere), await tags(into)]).toEqual([['welcome'], [], ['welcome']]);
});
