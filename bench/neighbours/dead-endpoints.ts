import type pg from 'pg';
import type { Target } from '../server/target.ts';

/** Due deliveries to an address that hangs. */
const DEAD_DELIVERIES = 1_000;

/** Creates endpoints through the API, because their secrets are encrypted, and due deliveries by SQL. */
export async function makeDeadEndpoints(
  { port, crowdedShop }: Target,
  client: pg.Client,
  hanging: string,
): Promise<void> {
  const { companyId, key } = crowdedShop!;
  for (let i = 0; i < 10; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/marketing/v1/webhook-endpoints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-company-id': `${companyId}` },
      body: JSON.stringify({ url: `${hanging}/${i}` }),
    });
    if (response.status !== 201) throw new Error(`POST /webhook-endpoints: ${await response.text()}`);
  }
  await client.query(
    `insert into webhook_deliveries (company_id, endpoint_id, message_id, event_type, entity, body, due_at, give_up_at, created_at)
     select $1, w.id, 'bench-' || n, 'order_placed', 'order:' || n, '{}', now(), now() + interval '1 day', now()
     from generate_series(1, $2::int) n
     join lateral (select id from webhook_endpoints where company_id = $1 order by id offset n % 10 limit 1) w on true`,
    [companyId, DEAD_DELIVERIES],
  );
}
