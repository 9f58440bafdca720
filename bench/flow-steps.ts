import type { Drain } from './drain.ts';
import { marketingPost } from './marketing.ts';

const RUNS = 10_000;
const BATCH = 500;

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

/** Nothing is due while the workers rest, so that every run has all of its steps before it. */
export const flowSteps: Drain = {
  name: 'flow-steps',
  title: 'flow steps: delay 0, branch, add_tag, send_email',
  async prepare(target) {
    await marketingPost(target, target.fullShop, '/flows', {
      name: 'Bench',
      trigger_type: 'order_placed',
      status: 'active',
      steps: STEPS,
      connections: CONNECTIONS,
    });
  },
  async fill(target) {
    for (let from = 0; from < RUNS; from += BATCH) {
      const events = Array.from({ length: BATCH }, (_, i) => ({
        event_type: 'order_placed',
        event_data: { email: `person-${from + i}@shop.example`, order_id: `flow-${++orders}`, total: 80 },
      }));
      await marketingPost(target, target.fullShop, '/events/batch', { events });
    }
    return RUNS * STEPS.length;
  },
  async done({ fullShop }, client) {
    const { rows } = await client.query<{ done: boolean }>(
      `select not exists (select from flow_runs where company_id = $1 and status = 'active') as done`,
      [fullShop.companyId],
    );
    return rows[0]!.done;
  },
  goal: 20_000,
};
