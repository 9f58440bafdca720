import { beforeAll, describe, expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { type TestPerson, testPerson } from '../testing/people.ts';
import { recordStatements } from '../testing/statements.ts';

const server = testServer();
const ROWS = 30_000;
const PER_PAGE = 100;
const LISTS = ['lists.audit', 'lists.suppressions'];

let shop: TestCompany;
let owner: TestPerson;

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
  const { company_id: company } = shop;
  await server.rows(
    `insert into audit_log (company_id, id, at, actor, action, target, details, hash)
     select $1, l.last + n, now(), case when n % 3 = 0 then 'key:till' else 'cli' end,
       case when n % 5000 = 0 then 'tax_rule.delete' when n % 2 = 0 then 'tax_rule.update' else 'price.update' end, 'tax_rule:' || n, '{}', '\\x00'
     from (select coalesce(max(id), 0) as last from audit_log where company_id = $1) l, generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows(
    `insert into suppressions (company_id, channel, hash, cause, created_at)
     select $1, case when n % 4 = 0 then 'sms' else 'email' end, sha256(n::text::bytea),
       case when n % 1000 = 0 then 'complaint' when n % 2 = 0 then 'manual' else 'bounce' end, now() - n / 3 * interval '1 minute'
     from generate_series(1, $2::int) n`,
    [company, ROWS],
  );
  await server.rows("select fold_deltas('counter')");
  await server.rows('analyze audit_log, suppressions');
});

async function read(path: string): Promise<{ ids: unknown[]; total: number }> {
  const response = await fetch(`${server.origin}/admin/api/${shop.company_id}${path}`, {
    headers: { cookie: owner.cookie },
  });
  const body = (await response.json()) as Record<string, { id?: number; hash?: string }[]> & {
    pagination: { total: number };
  };
  expect([response.status, body]).toMatchObject([200, {}]);
  const ids = (body.entries ?? body.suppressions)!.map((row) => row.id ?? row.hash);
  return { ids, total: body.pagination.total };
}

/** The expected order, by definition: the rows in the order of the list. */
async function idsOf(table: string, where: string): Promise<unknown[]> {
  const [id, order] =
    table === 'audit_log'
      ? ['id::int', 'id desc']
      : ["encode(hash, 'hex')", 'created_at desc, channel desc, hash desc'];
  const rows = await server.rows<{ id: unknown }>(
    `select ${id} as id from ${table} where company_id = $1 and ${where} order by ${order}`,
    [shop.company_id],
  );
  return rows.map((row) => row.id);
}

const FILTERS: [path: string, table: string, where: string][] = [
  ['/audit?', 'audit_log', 'true'],
  ['/audit?actor=key:till', 'audit_log', "actor = 'key:till'"],
  ['/audit?action=tax_rule.', 'audit_log', "starts_with(action, 'tax_rule.')"],
  ['/audit?action=tax_rule.delete', 'audit_log', "action = 'tax_rule.delete'"],
  ['/audit?actor=cli&action=tax_rule.update', 'audit_log', "actor = 'cli' and action = 'tax_rule.update'"],
  ['/audit?action=none', 'audit_log', 'false'],
  ['/audit?target=tax_rule:7', 'audit_log', "target = 'tax_rule:7'"],
  ['/suppressions?', 'suppressions', 'true'],
  ['/suppressions?channel=sms', 'suppressions', "channel = 'sms'"],
  ['/suppressions?cause=complaint', 'suppressions', "cause = 'complaint'"],
  ['/suppressions?channel=email&cause=manual', 'suppressions', "channel = 'email' and cause = 'manual'"],
  ['/suppressions?channel=sms&cause=bounce', 'suppressions', "channel = 'sms' and cause = 'bounce'"],
];

describe.each(FILTERS)('%s', (path, table, where) => {
  test('has every row on the page of its place', async () => {
    const ids = await idsOf(table, where);
    const last = Math.max(1, Math.ceil(ids.length / PER_PAGE));
    for (const page of new Set([1, 2, Math.ceil(last / 2), last - 1, last, last + 1].filter((one) => one > 0))) {
      const found = await read(`${path}&per_page=${PER_PAGE}&page=${page}`);
      expect([page, found.total]).toEqual([page, ids.length]);
      expect([page, found.ids]).toEqual([page, ids.slice((page - 1) * PER_PAGE, page * PER_PAGE)]);
    }
  });

  test('is exported by the row before, in the same order', async () => {
    const address = `${server.origin}/admin/api/${shop.company_id}${path}&format=jsonl`;
    // The audit log has an entry of the export afterwards.
    const ids = await idsOf(table, where);
    const sent = await recordStatements(async () => {
      const text = await (await fetch(address, { headers: { cookie: owner.cookie } })).text();
      const lines = text.split('\n').filter(Boolean);
      expect(lines.map((line) => JSON.parse(line).id ?? JSON.parse(line).hash)).toEqual(ids);
    });
    const pages = sent.filter(({ text }) => text.includes(`from ${table} `) && text.includes('limit'));
    expect(pages.length).toBeGreaterThan(0);
    for (const { text } of pages) expect(text).not.toMatch(/offset|count\(/);
  });
});

test('totals follow rows that are written again or lifted', async () => {
  const { company_id: company } = shop;
  const findings = async () => (await checkInvariants(server.app.db)).filter(({ id }) => LISTS.includes(id));
  const holds = async () =>
    expect((await findings()).map(({ id, ok }) => [id, ok])).toEqual(LISTS.map((id) => [id, true]));
  await holds();
  await server.rows(
    "update suppressions set cause = 'complaint', created_at = now() where company_id = $1 and hash < '\\x20'",
    [company],
  );
  await server.rows("delete from suppressions where company_id = $1 and hash > '\\xE0'", [company]);
  await holds();
  for (const table of ['counter_totals', 'counter_deltas'])
    await server.rows(`delete from ${table} where company_id = $1 and counter in ('audit_log', 'suppressions')`, [
      company,
    ]);
  expect((await findings()).filter(({ ok }) => !ok)).toHaveLength(2);
});
