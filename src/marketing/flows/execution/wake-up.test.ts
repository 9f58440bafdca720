import { beforeAll, describe, expect, it } from 'vitest';
import type { Queryable, Tx } from '../../../db/pool.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { recordStatements } from '../../../testing/statements.ts';
import { step } from '../definition/testing-graphs.ts';
import { activeFlow } from '../testing/flows.ts';
import * as queries from './queries.ts';
import * as tasks from './tasks/queries.ts';
import * as dueQueries from './worker.ts';

/**
 * The cost of finding due work among waiting runs. FLOW_WAITING=1000000 tests it with a million; the limits are the
 * same, because only a range of an index is read.
 */
const WAITING = Number(process.env.FLOW_WAITING ?? 50_000);
const FROZEN = WAITING / 5;
const DUE = 5_000;
const COMPANIES = 20;
const SET = 500;
/** Runs of a task's piece; a tenth of what a worker processes. */
const PIECE = 500;

const server = testServer();
const NOW = '2026-03-15T12:00:00Z';
let shop: TestCompany;
let flowId: number;
let frozenId: number;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}
interface Explained {
  indexes: string[];
  scans: string[];
  /** The most rows that passed any node, and the number of rows removed by filters. */
  most: number;
  removed: number;
  sorts: number;
  blocks: number;
  milliseconds: number;
}

beforeAll(async () => {
  server.clock.set(NOW);
  shop = await server.company();
  const wait = step('wait', 'delay', { value: 1, unit: 'hours' });
  flowId = (await activeFlow(shop, [wait])).flow_id;
  frozenId = (await activeFlow(shop, [wait])).flow_id;
  const insert = (companyId: number, flow: number, many: number, first: number, status: string, due: string) =>
    server.rows(
      `insert into flow_runs (company_id, flow_id, version, contact_id, slot, status, step_id, outcome, due_at, listens, state, entered_at)
       select $1, $2, 1, n, 0, $5, 'wait', 'default', ${due}, '{}', '{"visits": {"wait": 1}, "vars": {}, "hops": 0}', now()
       from generate_series($3::bigint, $3::bigint + $4::bigint - 1) n`,
      [companyId, flow, first, many, status],
    );
  const soon = `timestamptz '2026-03-15 12:00:01Z' + (n * 7919 % 2592000) * interval '1 second'`;
  const lately = `timestamptz '2026-03-15 12:00:00Z' - (n * 7919 % 86400) * interval '1 second'`;
  await insert(shop.company_id, flowId, WAITING, 1_000_000, 'active', soon);
  await insert(shop.company_id, flowId, DUE, 5_000_000, 'active', lately);
  await insert(shop.company_id, frozenId, FROZEN, 6_000_000, 'paused', lately);
  for (let i = 0; i < COMPANIES; i++) {
    const other = await server.company();
    await insert(other.company_id, 1, 100, 1, 'active', i % 2 === 0 ? soon : lately);
  }
  await server.rows(
    `insert into flow_signals (company_id, run_id, signal)
     select company_id, id, '{}' from flow_runs where company_id = $1 and flow_id = $2 order by id limit 1000`,
    [shop.company_id, flowId],
  );
  await server.rows('analyze flow_runs, flow_signals');
}, 600_000);

class Undone extends Error {}

/** Runs `work` in a transaction that is rolled back. */
async function undone(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const doing = server.app.db.tenantTx(shop.company_id, async (tx) => {
    await work(tx);
    throw new Undone();
  });
  await doing.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
}

/** Returns the plan of each statement about flows: those of `work`, which is rolled back, and of `free`, which only reads. */
async function explain({ work, free }: { work?: (tx: Tx) => Promise<unknown>; free?: () => Promise<unknown> }) {
  const statements = await recordStatements(async () => {
    await free?.();
    if (work !== undefined) await undone(work);
  });
  const plans: Explained[] = [];
  for (const { text, values } of statements.filter(({ text }) => text.includes('flow_'))) {
    const plan = async (db: Queryable): Promise<void> => {
      const asked = { name: '', text: `explain (analyze, buffers, format json) ${text}`, values };
      const rows = await db.query<{ 'QUERY PLAN': [{ Plan: Plan; 'Execution Time': number }] }>(asked);
      const [{ Plan, 'Execution Time': milliseconds }] = rows[0]!['QUERY PLAN'];
      plans.push({ ...summed(Plan), milliseconds });
    };
    if (work === undefined) await plan(server.app.db);
    else await undone(plan);
  }
  expect(plans.length).toBeGreaterThan(0);
  if (WAITING > 50_000) process.stdout.write(`${JSON.stringify(plans)}\n`);
  // Only tables that have rows: none of them may be scanned.
  const read = plans.flatMap(({ scans }) => scans).filter((table) => /^flow_(runs|signals)$/.test(table));
  expect(read).toEqual([]);
  return plans;
}

function summed(plan: Plan): Omit<Explained, 'milliseconds'> {
  const nodes = (one: Plan): Plan[] => [one, ...(one.Plans ?? []).flatMap(nodes)];
  const all = nodes(plan);
  return {
    indexes: all.flatMap((one) => one['Index Name'] ?? []),
    scans: all.filter((one) => one['Node Type'] === 'Seq Scan').flatMap((one) => one['Relation Name'] ?? []),
    most: Math.max(...all.map((one) => one['Actual Rows'] * one['Actual Loops'])),
    removed: all.reduce((sum, one) => sum + (one['Rows Removed by Filter'] ?? 0) * one['Actual Loops'], 0),
    sorts: all.filter((one) => one['Node Type'].includes('Sort')).length,
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
}

describe(`among ${WAITING} waiting, ${FROZEN} paused and ${DUE} due runs`, () => {
  const now = () => server.clock.now();

  it('companies with work, and the next due moment, cost one index lookup for each company', async () => {
    const companies = await dueQueries.companiesWithWork(server.app.db, now());
    expect(companies).toHaveLength(1 + COMPANIES / 2);
    const [found] = await explain({ free: () => dueQueries.companiesWithWork(server.app.db, now()) });
    expect(found!.indexes).toContain('flow_runs_due');
    expect(found!.blocks).toBeLessThan(15 * (1 + COMPANIES));
    const [next] = await explain({ free: () => dueQueries.nextDueRun(server.app.db) });
    expect(next!.indexes).toContain('flow_runs_due');
    expect(next!.blocks).toBeLessThan(10 * (1 + COMPANIES));
  });

  it('the first entry of an index range shows that no run is due, however many wait', async () => {
    const before = new Date(now().getTime() - 2 * 86_400_000);
    const [none] = await explain({ work: (tx) => queries.claimDueRuns(tx, shop.company_id, before, SET) });
    expect(none).toMatchObject({ indexes: ['flow_runs_due'], most: 0, removed: 0, sorts: 0 });
    expect(none!.blocks).toBeLessThan(50);
  });

  it('a set of due runs is an index range, without a sort', async () => {
    const claimed = await explain({ work: (tx) => queries.claimDueRuns(tx, shop.company_id, now(), SET) });
    expect(claimed).toMatchObject([{ indexes: ['flow_runs_due'], most: SET, removed: 0, sorts: 0 }]);
    // Each run is read and locked: normally two blocks, three if its page was just written.
    expect(claimed[0]!.blocks).toBeLessThan(4 * SET);
  });

  it('runs that were advanced before cost at most their dead index entries, until these are vacuumed', async () => {
    const MOVED = 2_000;
    const move = `update flow_runs set due_at = due_at + interval '100 days' where id in (
      select id from flow_runs where company_id = $1 and status = 'active' order by company_id, due_at limit ${MOVED})`;
    await server.rows(move, [shop.company_id]);
    const [claimed] = await explain({ work: (tx) => queries.claimDueRuns(tx, shop.company_id, now(), SET) });
    expect(claimed).toMatchObject({ indexes: ['flow_runs_due'], most: SET });
    expect(claimed!.blocks).toBeLessThan(4 * SET + 2 * MOVED);
  });

  it('runs with signals are found by their signals', async () => {
    const signalled = await explain({ work: (tx) => queries.claimSignalledRuns(tx, shop.company_id, SET) });
    expect(signalled).toMatchObject([{ indexes: ['flow_signals_pkey', 'flow_runs_pkey'], most: SET }]);
    expect(signalled[0]!.blocks).toBeLessThan(5 * SET);
  });

  it('runs of a flow that is resumed or archived are handled in pieces that read no other runs', async () => {
    const { company_id } = shop;
    const [resumed, left] = await explain({ work: (tx) => tasks.resumeRuns(tx, company_id, frozenId, PIECE) });
    expect(resumed).toMatchObject({ indexes: expect.arrayContaining(['flow_runs_frozen']), most: PIECE });
    expect(left!.blocks).toBeLessThan(PIECE);
    const exit = { reason: 'archived', enteredBy: new Date(), now: now(), limit: PIECE };
    const [ended, others] = await explain({ work: (tx) => tasks.exitRuns(tx, company_id, frozenId, exit) });
    expect(ended).toMatchObject({ indexes: expect.arrayContaining(['flow_runs_status']), most: PIECE, removed: 0 });
    expect(others!.blocks).toBeLessThan(PIECE);
  });

  it('that a flow has no runs left is found without reading runs of other flows', async () => {
    const { company_id } = shop;
    await server.rows('delete from flow_runs where company_id = $1 and flow_id = $2', [company_id, frozenId]);
    const exit = { reason: 'archived', enteredBy: new Date(), now: now(), limit: PIECE };
    for (const work of [
      (tx: Tx) => tasks.resumeRuns(tx, company_id, frozenId, PIECE),
      (tx: Tx) => tasks.exitRuns(tx, company_id, frozenId, exit),
    ]) {
      expect((await explain({ work })).every(({ most }) => most <= 1)).toBe(true);
    }
  });
});
