import type pg from 'pg';
import { seal } from '../../src/access/audit.ts';
import { copyRows } from './copy.ts';
import type { Measure } from './measure.ts';
import { idOf, reserveIds } from './prepare.ts';
import { EVENT_COLUMNS, eventLines } from './rows/events.ts';
import * as messages from './rows/messages.ts';
import * as orders from './rows/orders.ts';
import { ACTIVITY_COLUMNS, activityLines } from './rows/people.ts';
import { type FilledShop, momentOf, type Span } from './shop.ts';

/** Copies what happens in the span; spans of a shop follow each other in time, and none reaches over the end of a month (UTC). */
export async function fillSpan(client: pg.ClientBase, measure: Measure, shop: FilledShop, span: Span): Promise<void> {
  if (span.orders > 0) await fillOrders(client, measure, shop, span);
  if (span.events > 0) await fillEvents(client, measure, shop, span);
  if (span.messages > 0) await fillMessages(client, measure, shop, span);
  const changes = Math.ceil(span.messages / 50);
  await measure('contact_activity', () => {
    const lines = activityLines(shop, changes, (k) => momentOf(span, k, changes));
    return copyRows(client, 'contact_activity', ACTIVITY_COLUMNS, lines);
  });
  await measure('audit_log', () => fillAudit(client, shop, span));
}

const firstOrders = new WeakMap<Span, number>();

async function fillOrders(client: pg.ClientBase, measure: Measure, shop: FilledShop, span: Span): Promise<void> {
  const { first } = await reserveIds(client, 'orders', span.orders);
  firstOrders.set(span, first);
  const copies = [
    ['orders', orders.ORDER_COLUMNS, orders.orderLines],
    ['order_items', orders.ITEM_COLUMNS, orders.itemLines],
    ['order_history', orders.HISTORY_COLUMNS, orders.historyLines],
    ['stock_movements', orders.MOVEMENT_COLUMNS, orders.movementLines],
    ['webhook_deliveries', orders.DELIVERY_COLUMNS, orders.deliveryLines],
  ] as const;
  for (const [table, columns, lines] of copies) {
    await measure(table, () => copyRows(client, table, columns, lines(shop, span, first)));
  }
  const [placed, moved] = [new Map<number, number>(), new Map<number, number>()];
  for (const { customer, status, lines } of orders.ordersOf(shop, span)) {
    placed.set(customer, (placed.get(customer) ?? 0) + 1);
    if (status === 'cancelled') continue;
    for (const { product, qty } of lines) moved.set(product, (moved.get(product) ?? 0) + qty);
  }
  await measure('customer_accounts', async () => {
    await client.query(
      `insert into customer_accounts as a (company_id, customer_id, order_count)
       select $1, $2::bigint + customer, n from unnest($3::bigint[], $4::bigint[]) t (customer, n) order by customer
       on conflict (company_id, customer_id) do update set order_count = a.order_count + excluded.order_count`,
      [shop.companyId, shop.customers.first, [...placed.keys()], [...placed.values()]],
    );
    return placed.size;
  });
  await client.query(
    `update product_stock s set stock_qty = stock_qty - t.n from unnest($3::bigint[], $4::bigint[]) t (product, n)
     where s.company_id = $1 and s.product_id = $2::bigint + t.product`,
    [shop.companyId, shop.products.first, [...moved.keys()], [...moved.values()]],
  );
}

async function fillEvents(client: pg.ClientBase, measure: Measure, shop: FilledShop, span: Span): Promise<void> {
  const month = span.from.toISOString().slice(0, 7);
  await client.query('select ensure_event_partitions($1::date, 1)', [`${month}-01`]);
  const { first } = await reserveIds(client, 'events', span.events);
  await measure('events', () => {
    const lines = eventLines(shop, span, first, firstOrders.get(span) ?? 0);
    return copyRows(client, `events_${month.replace('-', '_')}`, EVENT_COLUMNS, lines);
  });
}

async function fillMessages(client: pg.ClientBase, measure: Measure, shop: FilledShop, span: Span): Promise<void> {
  const { companyId, contacts, flowId } = shop;
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
  const { first: firstRun } = await reserveIds(client, 'flow_runs', ofFlow);
  const { first } = await reserveIds(client, 'messages', span.messages);
  const ids = { first, firstRun, campaigns: { first: campaigns[0] ?? 0, count: campaigns.length } };
  const copies = [
    ['flow_runs', messages.RUN_COLUMNS, messages.runLines],
    ['flow_run_log', messages.LOG_COLUMNS, messages.logLines],
    ['messages', messages.MESSAGE_COLUMNS, messages.messageLines],
    ['message_activity', messages.HAPPENED_COLUMNS, messages.happenedLines],
    ['mailbox_messages', messages.MAILBOX_COLUMNS, messages.mailboxLines],
  ] as const;
  for (const [table, columns, lines] of copies) {
    await measure(table, () => copyRows(client, table, columns, lines(shop, span, ids)));
  }
  await client.query(
    `insert into flow_stat_deltas (company_id, flow_id, step_id, metric, n)
     select $1, $2, step, metric, $3 from (values ('', 'entered'), ('', 'completed'), ('', 'sent'), ($4, 'entered'), ($4, 'passed'), ($4, 'sent'))
       t (step, metric)`,
    [companyId, flowId, ofFlow, messages.MAIL_STEP],
  );
}

/** An entry for each hundred orders, sealed as the program does it. */
async function fillAudit(client: pg.ClientBase, { companyId }: FilledShop, span: Span): Promise<number> {
  const count = Math.ceil(span.orders / 100);
  const { rows } = await client.query<{ id: string; hash: Buffer }>(
    'select id, hash from audit_log where company_id = $1 order by id desc limit 1',
    [companyId],
  );
  let [id, previous] = [Number(rows[0]?.id ?? 0), rows[0]?.hash ?? null];
  const lines: string[] = [];
  for (let k = 0; k < count; k++) {
    const entry = { id: ++id, at: new Date(momentOf(span, k, count)), actor: 'key:till', action: 'tax_rule.update' };
    const hash = seal({ ...entry, target: `tax_rule:${k}`, details: { rate: '8.25' } }, previous);
    const before = previous === null ? '\\N' : `\\\\x${previous.toString('hex')}`;
    lines.push(
      `${companyId}\t${id}\t${entry.at.toISOString()}\t${entry.actor}\t${entry.action}\ttax_rule:${k}\t{"rate": "8.25"}\t${before}\t\\\\x${hash.toString('hex')}\n`,
    );
    previous = hash;
  }
  const columns = ['company_id', 'id', 'at', 'actor', 'action', 'target', 'details', 'previous_hash', 'hash'];
  return copyRows(client, 'audit_log', columns, lines);
}
