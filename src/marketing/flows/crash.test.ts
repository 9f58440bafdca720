import { expect, test } from 'vitest';
import type { TestBody } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { step } from './testing-graphs.ts';

const KILLS = 8;
const PEOPLE = 1_000;

const dataDir = temporaryDataFolder();

async function json(args: string[]): Promise<TestBody> {
  const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: dataDir });
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout);
}

/** Two mails with a wait, an event of the flow's own and a wait for it between them. */
const steps = [
  step('tag', 'add_tag', { tag: 'seen' }),
  step('first', 'send_email', { subject: 'First', content: 'First' }),
  step('rest', 'delay', { value: 0.02, unit: 'minutes' }),
  step('tell', 'track_event', { event_type: 'rested' }),
  step('hear', 'wait_for_event', { event_type: 'rested', since: 'flow_entry', timeout: { value: 1, unit: 'days' } }),
  step('second', 'send_email', { subject: 'Second', content: 'Second' }),
];
const connections = steps.map(({ step_id }, i) => {
  const from = steps[i - 1]?.step_id ?? 'trigger';
  return { from, to: step_id, ...(from === 'hear' ? { branch: 'received' } : {}) };
});

test(`no step is lost and none is done twice over ${KILLS} kills with -9`, { timeout: 150_000 }, async () => {
  let program: Program = await startProgram(['--empty', '--data-dir', dataDir]);
  const company = String((await json(['companies', 'create', '--name', 'Crash shop'])).company_id);
  const options = ['--company', company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(['keys', 'create', ...options]);
  const call = async (method: string, path: string, body?: unknown): Promise<TestBody> => {
    const response = await fetch(`${program.origin}/marketing/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': company },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return response.json();
  };
  await call('POST', '/event-types', { event_type: 'rested' });
  const flow = await call('POST', '/flows', {
    name: 'Crash flow',
    trigger_type: 'order_placed',
    status: 'active',
    steps,
    connections,
  });
  for (let from = 0; from < PEOPLE; from += 500) {
    const events = Array.from({ length: 500 }, (_, i) => ({
      event_type: 'order_placed',
      event_data: { email: `p${from + i}@example.com`, order_id: `${from + i}`, total: 1 },
    }));
    expect((await call('POST', '/events/batch', { events })).accepted).toBe(500);
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, (kill * 173) % 700));
    await program.end('SIGKILL');
    program = await startProgram(['--data-dir', dataDir]);
  }
  const totals = async (): Promise<TestBody> => (await call('GET', `/flows/${flow.flow_id}/stats`)).totals;
  for (let tries = 0; tries < 300 && (await totals()).completed < PEOPLE; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(await totals()).toMatchObject({ entered: PEOPLE, completed: PEOPLE, active: 0, failed: 0, exited: 0 });
  const stats = await call('GET', `/flows/${flow.flow_id}/stats`);
  for (const { step_id } of steps) {
    const numbers = stats.steps.find((one: { step_id: string }) => one.step_id === step_id);
    expect(numbers).toMatchObject({ entered: PEOPLE, passed: PEOPLE, waiting: 0 });
  }
  expect((await call('GET', `/messages?flow_id=${flow.flow_id}&per_page=1`)).pagination.total).toBe(2 * PEOPLE);
  expect(await json(['doctor'])).toMatchObject({ ok: true });
  await program.end('SIGTERM');
});
