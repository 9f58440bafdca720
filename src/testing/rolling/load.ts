import type { TestBody } from '../harness.ts';

export interface Acknowledged {
  orders: number[];
  events: number[];
}

/** Sends requests as a load balancer would: to `origin()`, which is called for each of them. */
export function createLoad(origin: () => string, { companyId, key }: { companyId: number; key: string }) {
  const acknowledged: Acknowledged = { orders: [], events: [] };
  const failures: string[] = [];
  let running = true;
  let requests = 0;
  let productId = 0;
  let customerId = 0;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<TestBody> {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': key,
      authorization: `Bearer ${key}`,
      'x-company-id': String(companyId),
      ...more,
    };
    const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    requests++;
    const response = await fetch(origin() + path, request);
    const received = (await response.json()) as TestBody;
    if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(received)}`);
    return received;
  }

  async function caller(name: string): Promise<void> {
    for (let n = 0; running; n++) {
      const id = `${name}-${n}`;
      const address = { shipping_address: '1', shipping_city: 'X', shipping_zip: '1' };
      const order = { customer_id: customerId, items: [{ product_id: productId, qty: 1 }], ...address };
      const viewed = { email: `${id}@example.com`, product_id: String(productId), product_name: id };
      const kinds = [
        async () => {
          const made = await call('POST', '/commerce/v1/orders', order, { 'idempotency-key': id });
          acknowledged.orders.push(made.data.id);
        },
        async () => {
          const event = { event_type: 'product_viewed', event_id: id, event_data: viewed };
          acknowledged.events.push((await call('POST', '/marketing/v1/events', event)).event_id);
        },
        () => call('GET', '/commerce/v1/orders?per_page=5'),
        () => call('GET', '/marketing/v1/contacts?per_page=5'),
      ];
      await kinds[n % kinds.length]!().catch((error: Error) => {
        failures.push(`${id} at ${origin()}: ${error.message} ${String(error.cause ?? '')}`);
      });
    }
  }

  return {
    /** Every order starts a run of a flow that sends an e-mail, and is sent to the webhook endpoint. */
    async prepare(endpoint: string) {
      const product = { name: 'Thing', price: 3, stock_qty: 1_000_000 };
      productId = (await call('POST', '/commerce/v1/products', product)).data.id;
      const mail = { subject: 'Order {{ order_id }}', content: '<p>Thank you</p>', transactional: true };
      // Those that every new company has would send e-mails about the orders as well.
      const { flows } = await call('GET', '/marketing/v1/flows?per_page=100');
      for (const { flow_id: id } of flows) await call('POST', `/marketing/v1/flows/archive/${id}`);
      await call('POST', '/marketing/v1/flows', {
        name: 'Thank you',
        trigger_type: 'order_placed',
        status: 'active',
        reentry: { mode: 'always', concurrent: true },
        steps: [{ step_id: 'mail', type: 'send_email', config: mail }],
        connections: [{ from: 'trigger', to: 'mail' }],
      });
      await call('POST', '/marketing/v1/webhook-endpoints', { url: endpoint, event_types: ['order_placed'] });
      customerId = (await call('POST', '/commerce/v1/customers', { email: 'load@example.com' })).data.id;
    },
    acknowledged,
    failures,
    requests: () => requests,
    run: (callers: number) => Promise.all(Array.from({ length: callers }, (_, n) => caller(`caller${n}`))),
    stop: () => {
      running = false;
    },
  };
}
