import { describe, expect, it } from 'vitest';
import { sql } from '../db/sql.ts';
import { testServer } from '../testing/harness.ts';
import { recordStatements } from '../testing/statements.ts';
import { firstBrokenSeal, followEntries, recordAuditEntry, seal } from './audit.ts';

const server = testServer();

const record = (companyId: number, n: number) =>
  server.app.db.tx((tx) =>
    recordAuditEntry(tx, companyId, {
      at: server.clock.now(),
      actor: 'test',
      action: 'thing.do',
      target: `thing:${n}`,
      details: { z: n, a: { y: 1, b: [1, { d: null, c: 'ä' }] } },
    }),
  );

/** Tampers like someone with the database owner's privileges. */
const tamper = (companyId: number, change: string) =>
  server.rows(`begin; alter table audit_log disable trigger append_only; ${change.replaceAll('$1', String(companyId))};
    alter table audit_log enable trigger append_only; commit`);

/** Inserts entries as `count` calls of recordAuditEntry would, in one statement. */
async function addEntries(companyId: number, count: number): Promise<void> {
  const rows = await server.rows<{ id: number; hash: Buffer }>(
    'select id::int, hash from audit_log where company_id = $1 order by id desc limit 1',
    [companyId],
  );
  let last = rows[0]!;
  const hashes: string[] = [];
  const at = server.clock.now();
  for (let n = 0; n < count; n++) {
    const entry = {
      id: last.id + 1,
      at,
      actor: 'test',
      action: 'thing.do',
      target: 'thing',
      details: { n: last.id + 1 },
    };
    last = { id: entry.id, hash: seal(entry, last.hash) };
    hashes.push(last.hash.toString('hex'));
  }
  await server.rows(
    `insert into audit_log (company_id, id, at, actor, action, target, details, previous_hash, hash)
     select $1, $2 + n, $3, 'test', 'thing.do', 'thing', jsonb_build_object('n', $2 + n),
       decode(($4::text[])[n - 1], 'hex'), decode(($4::text[])[n], 'hex')
     from generate_series(1, cardinality($4::text[])) n`,
    [companyId, rows[0]!.id, at, hashes],
  );
}

describe('the audit log', () => {
  it('shows the previous values of changed fields, and of all fields where an entry names none', async () => {
    const { company_id } = await server.company();
    const before = { name: 'a', kind: 'x', left: 1 };
    const detailsOf = (details: Record<string, unknown>) =>
      server.app.db.tx(async (tx) => {
        followEntries(tx, { written: false, before });
        const what = { at: server.clock.now(), actor: 'test', action: 'thing.do', target: 'thing:1', details };
        await recordAuditEntry(tx, company_id, what);
        const [row] = await tx.query<{ details: unknown }>(sql`
          select details from audit_log where company_id = ${company_id} order by id desc limit 1`);
        return row!.details;
      });
    expect(await detailsOf({ name: 'b', kind: 'x', more: 2 })).toEqual({
      name: 'b',
      kind: 'x',
      more: 2,
      before: { name: 'a' },
    });
    expect(await detailsOf({})).toEqual({ before });
  });

  it('numbers and chains the entries of a company, simultaneous ones too', async () => {
    const { company_id } = await server.company();
    await Promise.all(Array.from({ length: 20 }, (_, n) => record(company_id, n)));
    const rows = await server.rows<{ id: string }>('select id from audit_log where company_id = $1 order by id', [
      company_id,
    ]);
    // The entries for creating the company and its key come first.
    expect(rows.map((row) => Number(row.id))).toEqual(Array.from({ length: 22 }, (_, i) => i + 1));
    expect(await firstBrokenSeal(server.app.db, company_id)).toBeNull();
  });

  it.each([
    ['a changed entry', "update audit_log set details = '{}' where company_id = $1 and id = 4", 4],
    ['a changed actor', "update audit_log set actor = 'nobody' where company_id = $1 and id = 3", 3],
    ['a changed moment', "update audit_log set at = at + interval '1 ms' where company_id = $1 and id = 5", 5],
    ['a removed entry', 'delete from audit_log where company_id = $1 and id = 4', 5],
    ['a removed beginning', 'delete from audit_log where company_id = $1 and id = 1', 2],
    [
      'two entries that changed places',
      'update audit_log set id = case id when 4 then 105 else id end where company_id = $1',
      5,
    ],
  ])('shows %s', async (_what, change, at) => {
    const { company_id } = await server.company();
    for (let n = 0; n < 4; n++) await record(company_id, n);
    expect(await firstBrokenSeal(server.app.db, company_id)).toBeNull();
    await tamper(company_id, change);
    expect(await firstBrokenSeal(server.app.db, company_id)).toBe(at);
  });

  it('is checked in slices, however long it is', async () => {
    const { company_id } = await server.company();
    await addEntries(company_id, 3_500);
    const check = () => firstBrokenSeal(server.app.db, company_id);
    const sent = await recordStatements(async () => {
      expect(await check()).toBeNull();
    });
    // 3,502 entries, including those for creating the company.
    expect(sent.filter(({ text }) => text.includes('from audit_log'))).toHaveLength(4);
    await tamper(company_id, "update audit_log set target = 'x' where company_id = $1 and id = 3001");
    expect(await check()).toBe(3_001);
    await tamper(company_id, "update audit_log set target = 'x' where company_id = $1 and id = 1000");
    expect(await check()).toBe(1_000);
    await tamper(company_id, 'update audit_log set id = -1 where company_id = $1 and id = 1');
    expect(await check()).toBe(-1);
  });

  it.each(["update audit_log set actor = 'x'", 'delete from audit_log', 'truncate audit_log'])(
    'refuses %j',
    async (statement) => {
      await server.company();
      await expect(server.rows(statement)).rejects.toThrow('append-only');
    },
  );

  it('does not keep the entry of an action that was rolled back', async () => {
    const { company_id } = await server.company();
    const undone = server.app.db.tx(async (tx) => {
      await recordAuditEntry(tx, company_id, { at: server.clock.now(), actor: 'a', action: 'b', target: 'c' });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await server.rows('select 1 from audit_log where company_id = $1', [company_id])).toHaveLength(2);
  });
});
