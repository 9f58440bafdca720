import { marketingRequest, randomBetween } from '../load/http-request.ts';
import { marketingPost } from '../server/marketing-request.ts';
import type { Scenario } from './scenario.ts';

const FLOWS = 3;
const PEOPLE = 10_000;

/** Flows that anybody may enter at any time, and in which nothing happens for a month. */
const flow = {
  name: 'Bench',
  trigger_type: 'order_completed',
  status: 'active',
  steps: [{ step_id: 'rest', type: 'delay', config: { value: 30, unit: 'days' } }],
  connections: [{ from: 'trigger', to: 'rest' }],
  reentry: { mode: 'always', concurrent: true },
};

export const enrolment: Scenario = {
  name: 'enrolment',
  title: `event tracked that starts ${FLOWS} flows`,
  async prepare(target) {
    for (let n = 0; n < FLOWS; n++) await marketingPost(target, target.shop, '/flows', flow);
  },
  requests: (target) => {
    const run = crypto.randomUUID();
    return (n) => {
      const email = `customer-${randomBetween(1, PEOPLE)}@shop.example`;
      const event = { event_type: 'order_completed', event_data: { email, order_id: `${run}-${n}` } };
      return marketingRequest(target, target.shop, 'POST', '/events', JSON.stringify(event));
    };
  },
  status: 201,
  limit: {
    title: `single-row insert, with ${FLOWS} rows of runs`,
    script: ({ shop }) => `
\\set contact random(1, 10000)
with e as (
  insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, external_id, data)
  values (${shop.companyId}, nextval('event_ids'), now(), now(), :contact, 'order_completed', 'api', null,
    '{"email": "customer@shop.example", "order_id": "1"}') returning event_id, data)
insert into flow_runs (company_id, flow_id, version, contact_id, slot, due_at, listens, event_id, event, state, entered_at)
select ${shop.companyId}, 1000000000 + n, 1, :contact, -e.event_id, now() + interval '30 days', '{}', e.event_id, e.data,
  '{"visits": {}, "vars": {}, "hops": 0}', now() from e, generate_series(1, ${FLOWS}) n;`,
  },
  goal: 0.5,
};
