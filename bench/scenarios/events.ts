import { signBody } from '../../src/marketing/webhook/signature.ts';
import { marketingRequest, randomBetween } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

const BATCH = 500;
const LIMIT_ROWS = 100;

/**
 * Generates events. Identical events count as one event, so each has a unique id, across processes too.
 * @returns the n-th event of this process
 */
function eventsOf({ shop }: Target): (n: number) => object {
  const run = crypto.randomUUID();
  return (n) => ({
    event_type: 'product_viewed',
    event_id: `${run}-${n}`,
    event_data: {
      email: `customer-${randomBetween(shop.firstCustomer, shop.lastCustomer)}@shop.example`,
      product_id: String(shop.firstProduct),
      product_name: 'Product 1',
      source: 'bench',
    },
  });
}

const singleRow: Scenario['limit'] = {
  title: 'single-row insert',
  script: ({ shop }) => `
\\set contact random(1, 10000)
insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, external_id, data)
values (${shop.companyId}, nextval('event_ids'), now(), now(), :contact, 'product_viewed', 'api', null,
  '{"email": "customer@shop.example", "source": "bench", "product_id": "1"}');`,
};

export const eventTracked: Scenario = {
  name: 'event',
  title: 'event tracked, contact upsert and enrolment check included',
  requests: (target) => {
    const event = eventsOf(target);
    return (n) => marketingRequest(target, target.shop, 'POST', '/events', JSON.stringify(event(n)));
  },
  status: 201,
  limit: singleRow,
  goal: 0.5,
};

export const eventBatch: Scenario = {
  name: 'event-batch',
  title: `events a second in batches of ${BATCH}`,
  requests: (target) => {
    const event = eventsOf(target);
    return (n) => {
      const events = Array.from({ length: BATCH }, (_, i) => event(n * BATCH + i));
      return marketingRequest(target, target.shop, 'POST', '/events/batch', JSON.stringify({ events }));
    };
  },
  status: 200,
  perRequest: BATCH,
  connections: 8,
  limit: {
    title: `rows a second in inserts of ${LIMIT_ROWS}`,
    script: ({ shop }) => `
\\set contact random(1, 10000)
insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, external_id, data)
select ${shop.companyId}, nextval('event_ids'), now(), now(), :contact, 'product_viewed', 'api', null,
  '{"email": "customer@shop.example", "source": "bench", "product_id": "1"}' from generate_series(1, ${LIMIT_ROWS});`,
    perTransaction: LIMIT_ROWS,
  },
  goal: 0.3,
};

export const webhook: Scenario = {
  name: 'webhook',
  title: 'signed webhook of one event',
  requests: (target) => {
    const event = eventsOf(target);
    const { companyId, webhookSecret } = target.shop;
    return (n) => {
      const body = JSON.stringify(event(n));
      const timestamp = Math.floor(Date.now() / 1000);
      return (
        `POST /marketing/webhook HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nX-Company-ID: ${companyId}\r\n` +
        `X-Webhook-Signature: ${signBody(webhookSecret, body, { timestamp })}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      );
    };
  },
  status: 200,
  limit: singleRow,
  goal: 0.5,
};
