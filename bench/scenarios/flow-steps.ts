import type pg from 'pg';
import { marketingPost } from '../server/marketing-request.ts';
import type { Target, TargetShop } from '../server/target.ts';
import type { Drain } from './drain.ts';

const RUNS = 10_000;
const BATCH = 500;
/** Steps per second; lateness is measured at half of this load. */
const GOAL = 20_000;
const LATE_SECONDS = 6;
/** Seconds between filling in the work and the first due time: the database is settled meanwhile. */
const HEAD_START_SECONDS = 6;

const STEPS = [
  { step_id: 'rest', type: 'delay', config: { value: 0, unit: 'minutes' } },
  {
    step_id: 'choose',
    type: 'branch',
    config: {
      paths: [
        {
          key: 'large',
          conditions: { operator: 'and', rules: [{ field: 'total', comparison: 'greater_than', value: 50 }] },
        },
      ],
    },
  },
  { step_id: 'mark', type: 'add_tag', config: { tag: 'buyer' } },
  {
    step_id: 'write',
    type: 'send_email',
    config: {
      subject: 'Thank you, {{ contact.first_name }}',
      content: '<p>Your order {{ event.order_id }} is here.</p>',
    },
  },
];
const CONNECTIONS = [
  { from: 'trigger', to: 'rest' },
  { from: 'rest', to: 'choose' },
  { from: 'choose', to: 'mark', branch: 'large' },
  { from: 'mark', to: 'write' },
];

let orders = 0;

async function addFlow(target: Target, shop: TargetShop): Promise<void> {
  const flow = {
    name: 'Bench',
    trigger_type: 'order_placed',
    status: 'active',
    steps: STEPS,
    connections: CONNECTIONS,
  };
  await marketingPost(target, shop, '/flows', flow);
}

async function startRuns(target: Target, shop: TargetShop, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => ({
      event_type: 'order_placed',
      event_data: { email: `person-${from + i}@shop.example`, order_id: `flow-${++orders}`, total: 80 },
    }));
    await marketingPost(target, shop, '/events/batch', { events });
  }
}

/** Milliseconds since the first unfinished run of the shop was due, negative before; null when all are done. */
async function oldest(client: pg.Client, { companyId }: TargetShop): Promise<number | null> {
  const { rows } = await client.query<{ late: number | null }>(
    `select (extract(epoch from clock_timestamp() - min(due_at)) * 1000)::float as late from flow_runs
     where company_id = $1 and status = 'active'`,
    [companyId],
  );
  return rows[0]!.late;
}

/** Nothing is done while the workers rest, so that every run has all of its steps ahead. */
export const flowSteps: Drain = {
  name: 'flow-steps',
  title: 'flow steps: delay 0, branch, add_tag, send_email',
  prepare: (target) => addFlow(target, target.fullShop),
  async fill(target) {
    await startRuns(target, target.fullShop, RUNS);
    return RUNS * STEPS.length;
  },
  done: async ({ fullShop }, client) => (await oldest(client, fullShop)) === null,
  goal: GOAL,
};

let latest: number[] = [];

/** The same steps, falling due evenly. Polls how late the oldest uncommitted run is. */
export const flowLateness: Drain = {
  name: 'flow-lateness',
  title: `milliseconds by which flow steps are late at ${GOAL / 2} a second, p99`,
  prepare: (target) => addFlow(target, target.largeShop),
  async fill(target, client) {
    const runs = (LATE_SECONDS * GOAL) / 2 / STEPS.length;
    await startRuns(target, target.largeShop, runs);
    await client.query(
      `update flow_runs r set due_at = now() + make_interval(secs => $2 + n.n / $3::float)
       from (select id, row_number() over (order by id) as n from flow_runs where company_id = $1 and status = 'active') n
       where r.company_id = $1 and r.id = n.id`,
      [target.largeShop.companyId, HEAD_START_SECONDS, GOAL / 2 / STEPS.length],
    );
    latest = [];
    return runs * STEPS.length;
  },
  async done({ largeShop }, client) {
    const late = await oldest(client, largeShop);
    if (late !== null && late > 0) latest.push(late);
    return late === null;
  },
  late: () => latest.toSorted((a, b) => a - b)[Math.ceil(latest.length * 0.99) - 1] ?? 0,
  goal: 1_000,
};
