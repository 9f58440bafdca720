import { beforeAll, describe, expect, test } from 'vitest';
import { parameterOf } from '../../db/wire/values.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import { recordStatements } from '../../testing/statements.ts';

const server = testServer();
let shop: TestCompany;
let owner: TestPerson;

interface Actor {
  actor: string;
  name: string | null;
  member: boolean;
}

beforeAll(async () => {
  shop = await server.company();
  owner = await testPerson(server, { [shop.company_id]: 'owner' });
});

async function actors(): Promise<Actor[]> {
  const { status, body } = await owner.ask('GET', `/${shop.company_id}/audit/actors`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.actors;
}

async function called(name: string, role: 'manager' | 'viewer' | null): Promise<TestPerson> {
  const person = await testPerson(server, role === null ? {} : { [shop.company_id]: role });
  await server.rows('update persons set name = $1 where id = $2', [name, person.id]);
  return person;
}

/** Inserts entries directly, so that there are many. */
async function fill(actor: string, rows: number): Promise<void> {
  await server.rows(
    `insert into audit_log (company_id, id, at, actor, action, target, hash)
     select $1, (select coalesce(max(id), 0) from audit_log where company_id = $1) + n, now(), $2, 'order.status', 'order:' || n, ''
     from generate_series(1, $3::int) n`,
    [shop.company_id, actor, rows],
  );
}

describe('actors of the audit log', () => {
  test('names members first, then former members, then programs', async () => {
    await server.rows("update persons set name = 'Olivia' where id = $1", [owner.id]);
    const max = await called('Max', 'manager');
    await called('Zoe', 'viewer');
    const created = await max.ask('POST', `/${shop.company_id}/tax-rules`, { name: 'VAT', country: 'DE', rate: 0.19 });
    expect(created.status).toBe(201);
    expect((await owner.ask('DELETE', `/${shop.company_id}/members/${max.id}`)).status).toBe(200);
    await fill('key:till', 1);
    await fill('cli', 1);
    const entries = (await owner.ask('GET', `/${shop.company_id}/audit?actor=admin:${max.id}`)).body.entries;
    expect(entries).toHaveLength(1);
    const found = await actors();
    expect(found.map(({ name, member, actor }) => [name ?? actor, member])).toEqual([
      ['Olivia', true],
      ['Zoe', true],
      ['Max', false],
      ['cli', false],
      ['key:till', false],
      // The actor of the test itself, which created the company.
      ['test', false],
    ]);
    expect(found[2]!.actor).toBe(`admin:${max.id}`);
  });

  test('names no one of another company', async () => {
    const other = await server.company();
    const theirs = await testPerson(server, { [other.company_id]: 'owner' });
    await theirs.ask('POST', `/${other.company_id}/tax-rules`, { name: 'VAT', country: 'DE', rate: 0.19 });
    expect((await actors()).map(({ actor }) => actor)).not.toContain(`admin:${theirs.id}`);
  });

  test('names 1,500 members and as many other people, once each', async () => {
    await server.rows(
      `with people as (
         insert into persons (email, name, created_at)
         select 'many-' || n || '@example.com', 'Many ' || n, now() from generate_series(1, 3000) n returning id, name),
       joined as (
         insert into members (company_id, person_id, role, created_at)
         select $1, id, 'viewer', now() from people where split_part(name, ' ', 2)::int % 2 = 0)
       insert into audit_log (company_id, id, at, actor, action, target, hash)
       select $1, (select max(id) from audit_log where company_id = $1) + row_number() over (), now(), 'admin:' || id,
         'order.status', 'order:1', '' from people`,
      [shop.company_id],
    );
    const many = (await actors()).filter(({ name }) => name?.startsWith('Many'));
    expect(new Set(many.map(({ actor }) => actor)).size).toBe(3_000);
    expect(many.map(({ member }) => member)).toEqual([...Array(1_500).fill(true), ...Array(1_500).fill(false)]);
  });

  test('reads one entry of each, however long the log is', async () => {
    const long = await server.company();
    const person = await testPerson(server, { [long.company_id]: 'owner' });
    const asked = async (): Promise<number> => {
      const [sent] = (await recordStatements(() => person.ask('GET', `/${long.company_id}/audit/actors`))).filter(
        ({ text }) => text.includes('audit_log'),
      );
      const [row] = await server.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${sent!.text}`,
        sent!.values.map(parameterOf),
      );
      const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = row!['QUERY PLAN'][0].Plan;
      return hit! + read!;
    };
    shop = long;
    for (const actor of ['cli', 'operator', `admin:${person.id}`]) await fill(actor, 1);
    const few = await asked();
    for (const actor of ['cli', 'operator', `admin:${person.id}`]) await fill(actor, 50_000);
    await server.rows('vacuum analyze audit_log');
    expect(await asked()).toBeLessThan(few + 30);
  });
});
