import { describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { firstBrokenSeal, recordAuditEntry } from './audit.ts';

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

/** As somebody with the owner's rights on the database might. */
const tamper = (companyId: number, change: string) =>
  server.rows(`begin; alter table audit_log disable trigger append_only; ${change.replaceAll('$1', String(companyId))};
    alter table audit_log enable trigger append_only; commit`);

describe('the audit log', () => {
  it('numbers and chains the entries of a company, simultaneous ones too', async () => {
    const { company_id } = await server.company();
    await Promise.all(Array.from({ length: 20 }, (_, n) => record(company_id, n)));
    const rows = await server.rows<{ id: string }>('select id from audit_log where company_id = $1 order by id', [
      company_id,
    ]);
    // The company's own making and its key came first.
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
