import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';

const server = testServer();
let shop: TestCompany;
let older: pg.Client;
beforeAll(async () => {
  shop = await server.company();
  older = new pg.Client(server.connection);
  await older.connect();
});
afterAll(() => older.end());

/** The row count of the statement in a transaction begun as by a program version without hold-out groups. */
async function asOlder(text: string, id: number): Promise<number> {
  await older.query('begin');
  await older.query(
    "select set_config('role', 'tradeloom_tenant', true), set_config('tradeloom.company_id', $1, true)",
    [String(shop.company_id)],
  );
  const { rowCount } = await older.query(text, [shop.company_id, id]);
  await older.query('rollback');
  return rowCount!;
}
const READ = 'select 1 from campaigns where company_id = $1 and id = $2';
const LOCK = `${READ} for update`;
const START = "update campaigns set status = 'sending', started_at = now() where company_id = $1 and id = $2";

test('a program that knows no hold-out groups or time zones of contacts takes up no campaign that has them', async () => {
  const contact = (await shop.marketing('POST', '/contacts', { email: 'p@example.com' })).body.contact_id;
  const { list_id } = (await shop.marketing('POST', '/lists', { name: 'All' })).body;
  await shop.marketing('POST', `/lists/${list_id}/contacts`, { contact_ids: [contact] });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id };
  const made = async (fields: object): Promise<number> => {
    const { status, body } = await shop.marketing('POST', '/campaigns', { ...mail, ...fields });
    expect([status, body.message]).toEqual([201, undefined]);
    return body.campaign_id;
  };
  const plain = await made({});
  const withGroup = await made({ holdout_percent: 10 });
  const at = new Date(server.clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10);
  const byZone = await made({ send_in_contact_time_zone: true, scheduled_at: `${at} 10:00:00` });

  for (const text of [READ, LOCK, START]) expect(await asOlder(text, plain)).toBe(1);
  for (const id of [withGroup, byZone]) {
    expect(await asOlder(READ, id)).toBe(1);
    expect(await asOlder(LOCK, id)).toBe(0);
    expect(await asOlder(START, id)).toBe(0);
  }

  // This program sends it; once its recipients are drawn, older programs may work on it again.
  expect((await shop.marketing('POST', `/campaigns/send/${withGroup}`)).status).toBe(200);
  const worker = server.app.workers.find(({ name }) => name === 'campaigns')!;
  while ((await worker.runOnce()) > 0);
  expect(await server.rows('select recipients is not null as drawn from campaigns where id = $1', [withGroup])).toEqual(
    [{ drawn: true }],
  );
  expect(await asOlder(LOCK, withGroup)).toBe(1);
});
