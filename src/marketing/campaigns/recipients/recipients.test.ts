import { beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../../db/sql.ts';
import { parameterOf } from '../../../db/wire/values.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { testPerson } from '../../../testing/people.ts';
import * as queries from './queries.ts';

const server = testServer();
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;
let shop: TestCompany;
let campaign: number;
let messages: number[];

beforeAll(async () => {
  shop = await server.company();
  const contacts: number[] = [];
  for (const first_name of ['=Ann', 'Bob "B" Lee', 'Cid', 'Dan']) {
    contacts.push(await contactOf(server, shop, { first_name }));
  }
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const mail = { name: 'C', type: 'email', subject: 'Hi', content: '<p>Hi</p>', list_id: list.list_id };
  const ids: number[] = [];
  for (let n = 0; n < 2; n++) {
    const { body } = await shop.marketing('POST', '/campaigns', mail);
    ids.push(body.campaign_id);
    await shop.marketing('POST', `/campaigns/send/${body.campaign_id}`);
  }
  campaign = ids[0]!;
  await shop.marketing('POST', `/contacts/unsubscribe/${contacts[3]}`, {});
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
  const rows = await server.rows<{ id: string; campaign_id: string }>(
    'select id, campaign_id from messages where campaign_id = any($1) order by contact_id, campaign_id',
    [ids],
  );
  messages = rows.filter((row) => Number(row.campaign_id) === campaign).map((row) => Number(row.id));
  // Messages of the other campaign have ids in between.
  for (const { id } of rows) await happens(Number(id), 'opened');
  await happens(messages[0]!, 'clicked');
  await happens(messages[1]!, 'bounced');
  await happens(messages[2]!, 'refused');
});

function happens(message: number, type: string): Promise<unknown> {
  return server.rows(
    'insert into message_activity (company_id, message_id, type, created_at) values ($1, $2, $3, $4)',
    [...[shop.company_id, message, type, server.clock.now()]],
  );
}

async function listed(query: string) {
  const { status, body } = await shop.marketing('GET', `/campaigns/${campaign}/recipients${query}`);
  expect(status).toBe(200);
  const ids = body.recipients.map((one: { message_id: number }) => one.message_id);
  return { ids: ids as number[], total: body.pagination.total as number, recipients: body.recipients };
}

describe('recipients by what became of their messages', () => {
  test('are those of the campaign alone, newest first, page by page', async () => {
    const newest = messages.toSorted((a, b) => b - a);
    expect(await listed('?state=opened')).toMatchObject({ ids: newest, total: 4 });
    expect(await listed('?state=opened&per_page=3&page=2')).toMatchObject({ ids: newest.slice(3), total: 4 });
    expect(await listed('?state=clicked')).toMatchObject({ ids: [messages[0]], total: 1 });
    const bounced = await listed('?state=bounced');
    expect(bounced).toMatchObject({ ids: [messages[1]!, messages[2]!].toSorted((a, b) => b - a), total: 2 });
    await server.rows("select fold_deltas('counter')");
    expect(await listed('?state=bounced')).toEqual(bounced);
  });

  test('or where they stand, with the reason', async () => {
    const { recipients } = await listed('?state=skipped');
    expect(recipients).toMatchObject([{ message_id: messages[3], reason: 'unsubscribed' }]);
    const { status } = await shop.marketing('GET', `/campaigns/${campaign}/recipients?state=converted`);
    expect(status).toBe(400);
  });
});

describe('GET /campaigns/{id}/recipients/export', () => {
  const get = async (query: string, role: 'viewer' | 'fulfilment' = 'viewer') => {
    const person = await testPerson(server, { [shop.company_id]: role });
    return person.ask('GET', `/${shop.company_id}/campaigns/${campaign}/recipients/export${query}`);
  };

  test('gives a file of all, or of those in a state, which no spreadsheet takes for formulas', async () => {
    const { status, headers, body } = await get('');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="campaign-${campaign}-recipients.csv"`);
    const [head, ...lines] = (body as string).trimEnd().split('\r\n');
    expect(head).toBe('message_id,contact_id,first_name,last_name,recipient,status,reason,variant,sent_at');
    expect(lines).toHaveLength(4);
    expect(body).toContain(",'=Ann,");
    expect(body).toContain(',"Bob ""B"" Lee",');
    const { body: clicked } = await get('?state=clicked');
    expect((clicked as string).trimEnd().split('\r\n').slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^${messages[0]},\\d+,'=Ann,,c.+@example\\.net,sent,,,2026-03-15 `)),
    ]);
    const { body: skipped } = await get('?state=skipped');
    expect(skipped).toContain(',skipped,unsubscribed,');
  });

  test('requires permission to read marketing, in its own company only', async () => {
    expect((await get('', 'fulfilment')).status).toBe(403);
    const other = await server.company();
    const person = await testPerson(server, { [other.company_id]: 'owner' });
    const path = `/${other.company_id}/campaigns/${campaign}/recipients/export`;
    expect((await person.ask('GET', path)).status).toBe(404);
  });

  test('reads long campaigns page by page, at a cost proportional to the page', async () => {
    const long = await server.company();
    const id = 900_001;
    await server.rows(
      `insert into campaigns (company_id, id, name, type, status, created_at, updated_at) overriding system value
       values ($1, $2, 'Long', 'email', 'sent', now(), now())`,
      [long.company_id, id],
    );
    await server.rows(
      `with written as (
         insert into messages (company_id, idem_key, channel, transactional, lane, recipient, status, due_at, origin, campaign_id,
           created_at, handed_over_at, ended_at)
         select $1, 'c:long:' || n, 'email', false, 2, 'p' || n || '@example.com', 'sent', now(), 'campaign', $2, now(), now(), now()
         from generate_series(1, 60000) n returning id
       )
       insert into message_activity (company_id, message_id, type, created_at)
       select $1, id, kind, now() from written, unnest(case when id % 100 = 0 then '{opened,clicked}'::text[] else '{opened}' end) kind`,
      [long.company_id, id],
    );
    await server.rows('vacuum analyze messages, message_activity');
    const person = await testPerson(server, { [long.company_id]: 'viewer' });
    // Each page has the same rows as the export.
    const list = async (state: string, page: number): Promise<{ total: number; ids: number[] }> => {
      const { status, body } = await long.marketing(
        'GET',
        `/campaigns/${id}/recipients?state=${state}&per_page=100&page=${page}`,
      );
      expect(status).toBe(200);
      const ids = body.recipients.map(({ message_id }: { message_id: number }) => message_id);
      return { total: body.pagination.total, ids };
    };
    const stored = await server.rows<{ id: number; clicked: boolean }>(
      'select id::int, id % 100 = 0 as clicked from messages where company_id = $1 order by id desc',
      [long.company_id],
    );
    const clicked = stored.filter((row) => row.clicked);
    for (const [state, rows, pages] of [
      ['sent', stored, [1, 600, 601]],
      ['opened', stored, [1, 2, 41, 300, 599, 600, 601]],
      ['clicked', clicked, [1, 3, 6, 7]],
    ] as const) {
      for (const page of pages) {
        const ids = rows.slice((page - 1) * 100, page * 100).map((row) => row.id);
        expect(await list(state, page)).toEqual({ total: rows.length, ids });
      }
    }
    const { body } = await person.ask('GET', `/${long.company_id}/campaigns/${id}/recipients/export?state=opened`);
    const lines = (body as string).trimEnd().split('\r\n').slice(1);
    expect([lines.length, new Set(lines).size]).toEqual([60_000, 60_000]);
    const range = (await queries.findRange(server.app.db, long.company_id, id))!;
    const asked: Statement[] = [];
    const query = async <Row>(statement: Statement): Promise<Row[]> => {
      asked.push(statement);
      return [{ list_total: 0, id: null }] as Row[];
    };
    const opened = { range, types: ['opened'] };
    // The total is counted in two indexes, and pages before the last one are skipped in them.
    await queries.listByActivity({ query }, long.company_id, id, opened, { skip: 0, take: 20 });
    await queries.listByActivity({ query }, long.company_id, id, opened, { skip: 59_900, take: 100 });
    await queries.listByState({ query }, long.company_id, id, 'sent', { skip: 59_900, take: 100 });
    asked.push(queries.linesByState(long.company_id, id, null, { after: range.below - 30_000, limit: 500 }));
    const limits = [3_000, 3_000, 3_000, 3_000];
    for (const [i, { text, values }] of asked.entries()) {
      const [row] = await server.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values.map(parameterOf),
      );
      const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = row!['QUERY PLAN'][0].Plan;
      expect(hit! + read!).toBeLessThan(limits[i]!);
    }
  });
});

test('totals by activity are exact after retention has removed messages, and count each message once', async () => {
  await happens(messages[1]!, 'refused');
  await server.rows('delete from messages where id = $1', [messages[2]]);
  expect(await listed('?state=bounced&page=9')).toMatchObject({ ids: [], total: 1 });
  expect(await listed('?state=opened&page=9')).toMatchObject({ ids: [], total: 3 });
});
