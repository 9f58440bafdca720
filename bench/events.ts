import { randomBetween, type Scenario } from './scenario.ts';

export const eventTracked: Scenario = {
  name: 'event',
  title: 'event tracked, contact upsert and enrolment check included',
  requests: ({ port, shop }) => {
    // Events that are equal are one event: every request has an id that no other process and no other request has.
    const run = crypto.randomUUID();
    return (n) => {
      const customer = randomBetween(shop.firstCustomer, shop.lastCustomer);
      const body = JSON.stringify({
        event_type: 'product_viewed',
        event_id: `${run}-${n}`,
        event_data: {
          email: `customer-${customer}@shop.example`,
          product_id: String(shop.firstProduct),
          product_name: 'Product 1',
          source: 'bench',
        },
      });
      return (
        `POST /marketing/v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${shop.key}\r\n` +
        `X-Company-ID: ${shop.companyId}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      );
    };
  },
  status: 201,
  limit: {
    title: 'single-row insert',
    script: ({ shop }) => `
\\set contact random(1, 10000)
insert into events (company_id, event_id, received_at, occurred_at, contact_id, event_type, source, external_id, data)
values (${shop.companyId}, nextval('event_ids'), now(), now(), :contact, 'product_viewed', 'api', null,
  '{"email": "customer@shop.example", "source": "bench", "product_id": "1"}');`,
  },
  goal: 0.5,
};
