import type pg from 'pg';
import { seal } from '../../src/access/audit.ts';
import { copyRows } from './copy.ts';
import type { Measure } from './measure.ts';
import { idOf, reserveIds } from './prepare.ts';
import * as messages from './rows/messages.ts';
import { MAX_LINES } from './rows/orders.ts';
import { type FilledShop, momentOf, type Span, type SpanOfShop } from './shop.ts';
import { EVENTS, OF_SPAN } from './tables.ts';
import { addUpOrders, takeFromStock } from './totals.ts';

/** Copies what happens in the span; spans of a shop follow each other, and none crosses the end of a month (UTC). */
export async function fillSpan(client: pg.ClientBase, measure: Measure, shop: FilledShop, span: Span): Promise<void> {
  const part = await beginSpan(client, shop, span);
  for (const { table, columns, rows } of OF_SPAN) {
    await measure(table, () => copyRows(client, { table, columns }, (row) => rows(row, part)));
  }
  await measure('customer_accounts', () => countOrders(client, part));
  await measure('events', () => {
    const { columns, rows } = EVENTS;
    return copyRows(client, { table: monthOf(span), columns }, (row) => rows(row, part));
  });
  await measure('audit_log', () => fillAudit(client, part));
}

/** The table of the events of the span. */
export const monthOf = ({ from }: Span): string => `events_${from.toISOString().slice(0, 7).replace('-', '_')}`;

/** Reserves the ids of the span, and adds its campaigns, its month of events and the statistics of its flow. */
export async function beginSpan(client: pg.ClientBase, shop: FilledShop, span: Span): Promise<SpanOfShop> {
  const { companyId, contacts, flowId } = shop;
  await client.query('select ensure_event_partitions($1::date, 1)', [`${span.from.toISOString().slice(0, 7)}-01`]);
  const [ofCampaigns, ofFlow] = [messages.countOf('campaign', span.messages), messages.countOf('flow', span.messages)];
  const campaigns: number[] = [];
  for (let left = ofCampaigns; left > 0; left -= contacts.count) {
    const recipients = Math.min(left, contacts.count);
    campaigns.push(
      await idOf(
        client,
        `insert into campaigns (company_id, name, type, status, recipients, subject, content, started_at, finished_at, created_at,
           updated_at)
         values ($1, 'Campaign', 'email', 'sent', $2, 'News', '<p>News</p>', $3, $4, $3, $4) returning id`,
        [companyId, recipients, span.from, span.to],
      ),
    );
  }
  if (ofFlow > 0) {
    await client.query(
      `insert into counter_deltas (company_id, counter, key, n)
       select $1, 'flow:' || $2::bigint || ':' || step, metric, $3 from (values ('', 'entered'), ('', 'completed'), ('', 'sent'), ($4, 'entered'), ($4, 'passed'), ($4, 'sent'))
         t (step, metric)`,
      [companyId, flowId, ofFlow, messages.MAIL_STEP],
    );
  }
  const first = async (table: string, count: number): Promise<number> => (await reserveIds(client, table, count)).first;
  const ids = {
    orders: await first('orders', span.orders),
    lines: await first('order_items', span.orders * MAX_LINES),
    events: await first('events', span.events),
    runs: await first('flow_runs', ofFlow),
    messages: await first('messages', span.messages),
    campaigns: campaigns[0] ?? 0,
  };
  return { shop, span, ids };
}

/** Counts the orders of each customer, and reduces the stock by what they bought. */
async function countOrders(client: pg.ClientBase, { shop, span }: SpanOfShop): Promise<number> {
  const totals = await addUpOrders(shop, [span]);
  const placed = [...totals.orders.entries()].filter(([, n]) => n > 0);
  await client.query(
    `insert into customer_accounts as a (company_id, customer_id, order_count)
     select $1, $2::bigint + customer, n from unnest($3::bigint[], $4::bigint[]) t (customer, n)
     on conflict (company_id, customer_id) do update set order_count = a.order_count + excluded.order_count`,
    [shop.companyId, shop.customers.first, placed.map(([customer]) => customer), placed.map(([, n]) => n)],
  );
  await takeFromStock(client, shop, totals);
  return placed.length;
}

/** An entry for each hundred orders, sealed as the program does it. */
export async function fillAudit(client: pg.ClientBase, { shop, span }: SpanOfShop) {
  const count = Math.ceil(span.orders / 100);
  const { rows } = await client.query<{ id: string; hash: Buffer }>(
    'select id, hash from audit_log where company_id = $1 order by id desc limit 1',
    [shop.companyId],
  );
  let [id, previous] = [Number(rows[0]?.id ?? 0), rows[0]?.hash ?? null];
  const columns = ['company_id', 'id', 'at', 'actor', 'action', 'target', 'details', 'previous_hash', 'hash'];
  return copyRows(client, { table: 'audit_log', columns }, function* (row) {
    for (let k = 0; k < count; k++) {
      const at = momentOf(span, k, count);
      const entry = { id: ++id, at: new Date(at), actor: 'key:till', action: 'tax_rule.update' };
      const hash = seal({ ...entry, target: `tax_rule:${k}`, details: { rate: '8.25' } }, previous);
      row.int8(shop.companyId).int8(id).timestamptz(at).text(entry.actor).text(entry.action);
      row.text(`tax_rule:${k}`).jsonb('{"rate": "8.25"}').bytea(previous).bytea(hash);
      previous = hash;
      yield;
    }
  });
}
