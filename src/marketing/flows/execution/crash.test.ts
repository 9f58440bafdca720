import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findEmbedded } from '../../../db/embedded/embedded.ts';
import { findServer } from '../../../db/embedded/process.ts';
import type { TestBody } from '../../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../../testing/program.ts';
import { random } from '../../../testing/random/seed.ts';
import { step } from '../definition/testing-graphs.ts';

/** FLOW_CRASHES=full runs the test at full size, for minutes; by default a short form of it runs. */
const FULL = process.env.FLOW_CRASHES === 'full';
const {
  people: PEOPLE,
  kills: KILLS,
  restarts: RESTARTS,
} = FULL ? { people: 5_000, kills: 50, restarts: 20 } : { people: 200, kills: 1, restarts: 1 };
const RESUMED_WITHIN_MS = 30_000;
/** The ways in which PostgreSQL is stopped: killed (its sessions are left behind), immediate shutdown, fast shutdown. */
const ENDS = ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const;

const dataDir = temporaryDataFolder({ prepared: true });
let program: Program;
let direct: pg.Pool | undefined;
afterAll(async () => {
  await direct?.end();
  program?.process.kill('SIGKILL');
});

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

/** An effect of each kind that stays in the database, and two mails with a wait, an event and a wait for it in between. */
const stepsOf = (listId: number, otherFlowId: number) => [
  step('tag', 'add_tag', { tag: 'seen' }),
  step('join', 'add_to_list', { list_id: listId }),
  step('note', 'notify', { message: 'Seen' }),
  step('go', 'start_flow', { flow_id: otherFlowId }),
  step('first', 'send_email', { subject: 'First', content: 'First' }),
  step('rest', 'delay', { value: 0.02, unit: 'minutes' }),
  step('tell', 'track_event', { event_type: 'rested' }),
  step('event', 'wait_for_event', { event_type: 'rested', since: 'flow_entry', timeout: { value: 1, unit: 'days' } }),
  step('second', 'send_email', { subject: 'Second', content: 'Second' }),
];
const connect = (steps: ReturnType<typeof stepsOf>) =>
  steps.map(({ step_id }, i) => {
    const from = steps[i - 1]?.step_id ?? 'trigger';
    return { from, to: step_id, ...(from === 'event' ? { branch: 'received' } : {}) };
  });

/** Queries the database directly, not through the program; waits while it is down. */
async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await direct!.query<Row>(text, values)).rows;
    } catch (error) {
      if (attempt === 3_000) throw error;
      await sleep(20);
    }
  }
}

/** Milliseconds from `began` until a run was advanced by a transaction that began after it. */
async function untilResumed(began: Date): Promise<number> {
  for (;;) {
    const [found] = await rows<{ resumed: boolean }>(
      'select coalesce(max(at) > $1, false) as resumed from flow_run_log',
      [began],
    );
    const ms = Date.now() - began.getTime();
    if (found!.resumed || ms > 4 * RESUMED_WITHIN_MS) return ms;
    await sleep(20);
  }
}

test(`no step is lost and none runs twice over ${KILLS} kills and ${RESTARTS} restarts of PostgreSQL`, {
  timeout: 900_000,
}, async () => {
  program = await startProgram(['--empty', '--data-dir', dataDir]);
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: TestBody }> => {
    const response = await fetch(`${program.origin}/marketing/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': company },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: await response.json() };
  };
  await call('POST', '/event-types', { event_type: 'rested' });
  const { list_id } = (await call('POST', '/lists', { name: 'Seen' })).body;
  // A flow that allows several runs at a time, so that a repeated start is visible.
  const other = {
    name: 'Other',
    trigger_type: 'rested',
    status: 'active',
    reentry: { mode: 'always', concurrent: true },
  };
  const { flow_id: otherId } = (
    await call('POST', '/flows', {
      ...other,
      trigger_conditions: { rules: [{ field: 'never', comparison: 'exists' }] },
    })
  ).body;
  const steps = stepsOf(list_id, otherId);
  const flow = (
    await call('POST', '/flows', {
      name: 'Crash flow',
      trigger_type: 'order_placed',
      status: 'active',
      steps,
      connections: connect(steps),
    })
  ).body;
  direct = new pg.Pool({ ...(await findEmbedded(dataDir))!, max: 1, connectionTimeoutMillis: 2_000 });
  direct.on('error', () => {});

  let entered = 0;
  /** Posts orders that start runs, and repeats them until they are acknowledged. */
  async function feed(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      const id = `${entered++}`;
      return { event_type: 'order_placed', event_data: { email: `p${id}@example.com`, order_id: id, total: 1 } };
    });
    for (let attempt = 0; attempt < 3_000; attempt++) {
      const response = await call('POST', '/events/batch', { events }).catch(() => undefined);
      if (response?.status === 200 || response?.status === 201) return;
      await sleep(20);
    }
    throw new Error('Events were not taken');
  }

  const afterKill: number[] = [];
  const afterEnd: number[] = [];
  const rounds = KILLS + RESTARTS;
  const pick = random(1);
  const firstEnd = pick(ENDS.length);
  for (let round = 0; round < rounds; round++) {
    const isEnd = Math.floor(((round + 1) * RESTARTS) / rounds) > Math.floor((round * RESTARTS) / rounds);
    const fed = feed(Math.floor(((round + 1) * PEOPLE) / rounds) - Math.floor((round * PEOPLE) / rounds));
    await sleep(pick(700));
    const began = new Date();
    if (isEnd) {
      const server = await findServer(join(dataDir, 'postgres'));
      process.kill(server!.pid, ENDS[(firstEnd + afterEnd.length) % ENDS.length]);
    } else {
      await program.end('SIGKILL');
      program = await startProgram(['--data-dir', dataDir]);
    }
    await fed;
    (isEnd ? afterEnd : afterKill).push(await untilResumed(began));
  }

  const totals = async (): Promise<TestBody> => (await call('GET', `/flows/${flow.flow_id}/stats`)).body.totals;
  for (let attempt = 0; attempt < 600 && (await totals()).completed < PEOPLE; attempt++) await sleep(100);
  expect(await totals()).toMatchObject({ entered: PEOPLE, completed: PEOPLE, active: 0, failed: 0, exited: 0 });
  const stats = (await call('GET', `/flows/${flow.flow_id}/stats`)).body;
  for (const { step_id } of steps) {
    const numbers = stats.steps.find((one: { step_id: string }) => one.step_id === step_id);
    expect(numbers).toMatchObject({ entered: PEOPLE, passed: PEOPLE, waiting: 0 });
  }

  // Each run left each step once, and each contact has each effect once.
  const once = { contacts: PEOPLE, n: PEOPLE };
  const left = await rows<{ step_id: string; contacts: number; n: number }>(
    `select e->>'step_id' as step_id, count(distinct r.contact_id)::int as contacts, count(*)::int as n
     from flow_run_log l join flow_runs r on r.company_id = l.company_id and r.id = l.run_id, jsonb_array_elements(l.entries) e
     where e->>'result' in ('default', 'received') group by 1`,
  );
  expect(left).toHaveLength(steps.length);
  for (const numbers of left) expect(numbers).toMatchObject(once);
  const countBy = (text: string) =>
    rows(`select count(distinct contact_id)::int as contacts, count(*)::int as n ${text}`);
  expect(await countBy("from events where event_type = 'order_placed'")).toEqual([once]);
  expect(await countBy("from events where event_type = 'rested'")).toEqual([once]);
  expect(await countBy("from messages where step_id = 'first'")).toEqual([once]);
  expect(await countBy("from messages where step_id = 'second'")).toEqual([once]);
  expect(await countBy('from flow_notifications')).toEqual([once]);
  expect(await countBy(`from flow_runs where flow_id = ${otherId}`)).toEqual([once]);
  expect(await countBy(`from list_memberships where list_id = ${list_id} and status = 'active'`)).toEqual([once]);
  expect(await rows("select count(*)::int as n from contacts where tags = array['seen']")).toEqual([{ n: PEOPLE }]);
  expect(await rows('select count(*)::int as n from flow_signals')).toEqual([{ n: 0 }]);

  // Claims left by a crash are released when their lease ends. In the end all messages have arrived, none of them twice.
  const open = "select count(*)::int as n from messages where status <> 'sent'";
  for (let attempt = 0; attempt < (FULL ? 600 : 0) && (await rows<{ n: number }>(open))[0]!.n > 0; attempt++)
    await sleep(100);
  if (FULL) expect(await rows(open)).toEqual([{ n: 0 }]);
  expect(await rows('select 1 from mailbox_messages group by contact_id, subject having count(*) > 1')).toEqual([]);

  const p95 = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!;
  expect(p95([...afterKill, ...afterEnd])).toBeLessThan(RESUMED_WITHIN_MS);
  if (FULL) {
    const states = await rows('select status, count(*)::int as n from messages group by 1 order by 1');
    const mails = await rows('select count(*)::int as n from mailbox_messages');
    const most = (times: number[]) => ({ p95: p95(times), max: Math.max(...times) });
    process.stdout.write(
      `${JSON.stringify({ afterKill: most(afterKill), afterEnd: most(afterEnd), states, mails })}\n`,
    );
  }
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  await program.end('SIGTERM');
});
