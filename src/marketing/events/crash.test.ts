import pg from 'pg';
import { expect, test } from 'vitest';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import type { TestBody } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { random } from '../../testing/random/seed.ts';

/** EVENT_CRASHES=full runs the test at full size. */
const FULL = process.env.EVENT_CRASHES === 'full';
const KILLS = FULL ? 20 : 2;
const EVENTS = FULL ? 100_000 : 4_000;
const BATCH = FULL ? 500 : 200;
const CALLERS = 4;
const pick = random(1);

const dataDir = temporaryDataFolder({ prepared: true });

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

test(`${EVENTS} events all sent twice over ${KILLS} kills with -9: each stored once, one run for each and its flow`, {
  timeout: FULL ? 600_000 : 240_000,
}, async () => {
  let program: Program = await startProgram(['--empty', '--data-dir', dataDir]);
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (path: string, body: unknown): Promise<{ status: number; body: TestBody }> => {
    const response = await fetch(`${program.origin}/marketing/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': company },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: (await response.json()) as TestBody };
  };
  const flow = {
    name: 'Each',
    trigger_type: 'order_placed',
    status: 'active',
    reentry: { mode: 'always', concurrent: true },
  };
  const { flow_id } = (await call('/flows', flow)).body;

  const batch = (n: number) =>
    Array.from({ length: BATCH }, (_, i) => {
      const id = String(n * BATCH + i);
      return {
        event_type: 'order_placed',
        event_id: id,
        event_data: { email: `p${Number(id) % 2_000}@example.com`, order_id: id, total: 1 },
      };
    });
  /** Every batch is sent twice, the second time some time after the first. */
  const count = EVENTS / BATCH;
  const waiting = Array.from({ length: 2 * count }, (_, i) => (i < count ? i : (i * 7) % count));
  let accepted = 0;
  let acknowledged = 0;
  let sent = 0;
  const caller = async (until: () => boolean): Promise<void> => {
    while (until() && waiting.length > 0) {
      const n = waiting.shift()!;
      sent++;
      try {
        const { status, body } = await call('/events/batch', { events: batch(n) });
        if (status !== 200) throw new Error(String(status));
        expect([body.rejected, body.accepted + body.duplicates]).toEqual([[], BATCH]);
        accepted += body.accepted;
        acknowledged++;
      } catch (error) {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
        // Nobody knows whether it was stored: send it again.
        waiting.push(n);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  };

  for (let kill = 0; kill < KILLS; kill++) {
    let running = true;
    const before = acknowledged;
    const enough = before + 1 + pick(5);
    const callers = Array.from({ length: CALLERS }, () => caller(() => running));
    // The kill comes while requests are in flight: after some responses of this round, at a moment unrelated to them.
    for (let i = 0; i < 1_000 && acknowledged < enough && waiting.length > 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, pick(60)));
    await program.end('SIGKILL');
    running = false;
    await Promise.all(callers);
    program = await startProgram(['--data-dir', dataDir]);
  }
  expect(waiting.length, 'batches left for after the kills').toBeGreaterThan(0);
  await Promise.all(Array.from({ length: CALLERS }, () => caller(() => true)));

  expect(accepted).toBeLessThanOrEqual(EVENTS);
  const database = new pg.Client(await findEmbedded(dataDir));
  await database.connect();
  const { rows } = await database.query(
    `select (select count(*)::int from events) as events, (select count(distinct external_id)::int from events) as ids,
       (select count(*)::int from flow_runs) as runs, (select count(distinct event_id)::int from flow_runs where flow_id = $1) as events_with_runs,
       (select count(*)::int from contacts) as contacts`,
    [flow_id],
  );
  await database.end();
  expect(rows[0]).toEqual({ events: EVENTS, ids: EVENTS, runs: EVENTS, events_with_runs: EVENTS, contacts: 2_000 });
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  if (FULL) process.stdout.write(`${JSON.stringify({ events: EVENTS, kills: KILLS, resent: sent - acknowledged })}\n`);
  expect((await program.end('SIGTERM')).code).toBe(0);
});
