import { beforeAll, expect, test } from 'vitest';
import { goThroughActivity } from '../../exports/load-queries.ts';
import { type TestBody, type TestCompany, testServer } from '../../testing/harness.ts';
import { recordStatements } from '../../testing/statements.ts';
import { allSlices } from '../../work/slices.ts';
import { foldLastActivity, readLoadedActivity } from './last-activity.ts';

const server = testServer();
let shop: TestCompany;
const MINUTE = 60_000;

const fold = () => allSlices(foldLastActivity(server.app.db.chores, server.clock));
const readLoaded = () => allSlices(readLoadedActivity(server.app.db.chores));
const event = async (email: string, more: object = {}): Promise<void> => {
  const event_data = { email, product_id: `${Math.random()}`, product_name: 'Tea' };
  const { status } = await shop.marketing('POST', '/events', { event_type: 'product_viewed', event_data, ...more });
  expect(status).toBe(201);
};
const contact = async (email: string): Promise<number> =>
  (await shop.marketing('POST', '/contacts', { email })).body.contact_id;
const list = async (query: string): Promise<TestBody> => (await shop.marketing('GET', `/contacts?${query}`)).body;
const emails = async (query: string): Promise<string[]> =>
  (await list(query)).contacts.map(({ email }: { email: string }) => email.split('@')[0]);
/** The expected rows, computed from the events themselves. */
const expected = () =>
  server.rows(
    `select c.id, (select max(least(occurred_at, received_at)) from events e
       where e.company_id = c.company_id and e.contact_id = c.id and source <> 'flow')::text as at
     from contacts c order by 1`,
  );
const kept = () =>
  server.rows(
    `select contact_id as id, nullif(last_activity_at, '-infinity')::text as at from contact_last_activity order by 1`,
  );

beforeAll(async () => {
  shop = await server.company();
});

test('contacts are listed by their last event, over merges and erasures; those without one stand last', async () => {
  const ids: Record<string, number> = {};
  for (const name of ['ann', 'ben', 'cem', 'dee']) ids[name] = await contact(`${name}@example.com`);
  await event('ann@example.com');
  server.clock.advance(MINUTE);
  await event('cem@example.com');
  server.clock.advance(MINUTE);
  await event('ben@example.com', { occurred_at: new Date(server.clock.now().getTime() - 90_000).toISOString() });
  await fold();
  expect(await kept()).toEqual(await expected());
  expect(await emails('sort=last_activity_desc')).toEqual(['cem', 'ben', 'ann', 'dee']);
  expect(await emails('sort=last_activity_asc&per_page=3&page=2')).toEqual(['cem']);
  expect(await emails('sort=last_activity_desc&status=subscribed')).toEqual(['cem', 'ben', 'ann', 'dee']);
  await shop.marketing('POST', '/contacts', { email: 'ben@example.com', tags: ['x'] });
  await shop.marketing('POST', '/contacts', { email: 'dee@example.com', tags: ['x'] });
  expect(await emails('sort=last_activity_desc&tag=x')).toEqual(['ben', 'dee']);
  const read = async (name: string) => (await shop.marketing('GET', `/contacts/${ids[name]}`)).body.last_activity_at;
  expect([await read('cem'), await read('dee')]).toEqual(['2026-03-15 12:01:00', null]);
  expect((await list('sort=newest')).contacts[1].last_activity_at).toBe('2026-03-15 12:01:00');

  expect((await shop.marketing('POST', `/contacts/${ids.dee}/merge`, { other_contact_id: ids.cem })).status).toBe(200);
  expect(await read('dee')).toBe('2026-03-15 12:01:00');
  await shop.marketing('DELETE', `/contacts/${ids.ben}`);
  await fold();
  expect(await kept()).toEqual(await expected());
  expect(await emails('sort=last_activity_desc')).toEqual(['dee', 'ann']);
});

test('an event whose transaction ends after a later one was read is read by the next turn', async () => {
  const id = await contact('slow@example.com');
  const insert = (at: Date, n: number) =>
    server.rows(
      `insert into events (company_id, event_id, event_type, contact_id, data, occurred_at, received_at, source)
       values ($1, $2, 'product_viewed', $3, '{}', $4, $4, 'api')`,
      [shop.company_id, n, id, at],
    );
  const [{ early }] = (await server.rows<{ early: number }>("select nextval('event_ids')::int as early")) as [
    { early: number },
  ];
  await event('later@example.com');
  await fold();
  server.clock.advance(MINUTE);
  await insert(server.clock.now(), early);
  await fold();
  expect(await kept()).toEqual(await expected());
});

test('events of flows do not count, and an older event does not move the last activity back', async () => {
  await contact('flow@example.com');
  await event('flow@example.com');
  await server.rows(
    "update events set source = 'flow' where contact_id = (select id from contacts where email = 'flow@example.com')",
  );
  await event('later@example.com', { occurred_at: '2026-03-14T00:00:00Z' });
  await fold();
  expect((await list('search=flow@example.com')).contacts[0].last_activity_at).toBeNull();
  expect(await kept()).toEqual(await expected());
});

test('existing contacts are processed in slices, and events that arrive in the meantime count', async () => {
  await server.rows(
    `insert into contacts (company_id, email, search, created_at, updated_at)
     select $1, 'old' || n || '@example.com', '', now(), now() from generate_series(1, 1200) n`,
    [shop.company_id],
  );
  await server.rows(
    `insert into events (company_id, event_id, event_type, contact_id, data, occurred_at, received_at, source)
     select company_id, nextval('event_ids'), 'visited', id, '{}', $2::timestamptz - id * interval '1 second', $2, 'api'
     from contacts where company_id = $1 and email like 'old%' and id % 3 <> 0`,
    [shop.company_id, server.clock.now()],
  );
  // As after loading a company.
  await server.rows('delete from contact_last_activity');
  await server.rows(`update contact_activity_state set passed_company = 0, passed_contact = 0,
    read_to = (select last_value from event_ids), again_from = (select last_value from event_ids)`);
  const slice = readLoadedActivity(server.app.db.chores);
  expect((await slice(null)).next).toBe(true);
  server.clock.advance(MINUTE);
  await event('old3@example.com');
  await readLoaded();
  await readLoaded();
  await fold();
  expect(await kept()).toEqual(await expected());
  expect(await server.rows('select passed_company from contact_activity_state')).toEqual([{ passed_company: null }]);
});

test('a company that is loaded behind the position of a running pass is processed as well', async () => {
  await server.rows('delete from contact_last_activity');
  await server.rows('update contact_activity_state set passed_company = $1, passed_contact = 0', [shop.company_id + 1]);
  // As a load does, which the owner of the tables runs.
  const { text, values } = goThroughActivity(shop.company_id);
  await server.rows(text, values);
  await readLoaded();
  expect(await kept()).toEqual(await expected());
});

test('a page by last activity is read in index order, and a turn without events reads no rows', async () => {
  await server.rows('vacuum analyze contact_last_activity');
  const sent = await recordStatements(async () => {
    expect((await list('sort=last_activity_desc&page=10')).contacts).toHaveLength(20);
  });
  const { text, values } = sent.find((one) => /offset \(select \$\d+::bigint\)/.test(one.text))!;
  const plan = JSON.stringify(await server.rows(`explain (format json) ${text}`, values));
  expect([plan.includes('"contact_last_activity_at"'), plan.includes('"Sort"')]).toEqual([true, false]);
});
