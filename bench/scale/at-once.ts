import type pg from 'pg';
import { copyRows } from './copy.ts';
import { inLanes, type Lane, type Task } from './lanes.ts';
import { addStock } from './prepare.ts';
import type { Row } from './row.ts';
import { completeTables, indexTable, type Stripped, stripTables } from './schema.ts';
import type { FilledShop, Span, SpanOfShop } from './shop.ts';
import { beginSpan, fillAudit, monthOf } from './span.ts';
import { type CopiedTable, EVENTS, OF_SPAN, PEOPLE } from './tables.ts';
import { addUpOrders, createEventTotals, EVENT_TOTALS, TOTALS, takeFromStock } from './totals.ts';

/** Every table that is filled as a whole; events are filled by month. */
export const FILLED_TABLES = [...PEOPLE, ...OF_SPAN, ...TOTALS, EVENTS, EVENT_TOTALS].map(({ table }) => table);

/**
 * Fills the tables of a new database, several at a time: each without indexes, in the transaction that truncates it, so that it
 * is not logged and needs no vacuum. Its indexes are built while it is in memory. Totals are computed while rows are generated.
 * @param shops with their records, see `addRecords`
 * @param now events of a day before are in the totals
 * See docs/design/testing.md.
 */
export async function fillAtOnce(
  lanes: readonly Lane[],
  shops: readonly FilledShop[],
  spans: readonly Span[],
  now: Date,
): Promise<void> {
  const { client } = lanes[0]!;
  for (const table of FILLED_TABLES) await checkEmpty(client, table);
  const parts: SpanOfShop[] = [];
  for (const shop of shops) {
    for (const span of spans) parts.push(await beginSpan(client, shop, span));
  }
  const stripped = await stripTables(client, FILLED_TABLES);
  const events = new Map(shops.map((shop) => [shop, createEventTotals(shop)]));
  const addingUp = Promise.all(
    shops.map(async (shop) => ({ shop, orders: await addUpOrders(shop, spans), events: events.get(shop)! })),
  );
  const fill =
    <Of>(table: CopiedTable<Of>, all: readonly Of[] | Promise<readonly Of[]>, partition?: string): Task =>
    async (lane) =>
      fillTable(lane, stripped, table, await all, partition);
  const ofSpan = OF_SPAN.filter(({ follows }) => follows === undefined).map((one): Task => {
    const group = [one, ...OF_SPAN.filter(({ follows }) => follows === one.table)];
    return async (lane) => {
      for (const table of group) await fill(table, parts)(lane);
    };
  });
  const names = [...new Set(spans.map(monthOf))];
  let left = names.length;
  const months = names.map((month): Task => {
    const own = parts.filter(({ span }) => monthOf(span) === month);
    const rows = (row: Row, part: SpanOfShop) => EVENTS.rows(row, part, events.get(part.shop)!.see);
    return async (lane) => {
      await fill({ ...EVENTS, rows }, own, month)(lane);
      if (--left === 0) await fill(EVENT_TOTALS, addingUp)(lane);
    };
  });
  // The longest tasks start first, so that no lane is left alone with one.
  const tasks = [
    ...PEOPLE.map((table) => fill(table, shops)),
    ...months,
    ...ofSpan,
    ...TOTALS.map((table) => fill(table, addingUp)),
  ];
  const [totals] = await Promise.all([addingUp, inLanes(lanes, tasks)]);
  await inLanes(lanes, [
    (lane) => indexTable(lane, stripped, EVENTS.table),
    (lane) => completeTables(lane, stripped),
    async ({ client: own, measure }) => {
      for (const part of parts) await measure('audit_log', () => fillAudit(own, part));
    },
    async ({ client: own }) => {
      for (const { shop, orders } of totals) {
        await addStock(own, shop);
        await takeFromStock(own, shop, orders);
      }
    },
  ]);
  await markAddedUp(client, spans, now);
}

async function fillTable<Of>(
  lane: Lane,
  stripped: Stripped,
  { table, columns, rows }: CopiedTable<Of>,
  all: readonly Of[],
  partition?: string,
): Promise<void> {
  const { client, measure } = lane;
  const target = partition ?? table;
  await measure(table, async () => {
    await client.query('begin');
    await client.query(`truncate ${target}`);
    const options = { table: target, columns, freeze: true, atMost: Number.POSITIVE_INFINITY };
    const copied = await copyRows(client, options, function* (row) {
      for (const one of all) yield* rows(row, one);
    });
    await client.query('commit');
    return copied;
  });
  await indexTable(lane, stripped, table, partition);
  await measure(
    table,
    async () => {
      await client.query(`vacuum (analyze) ${target}`);
      return 0;
    },
    'vacuum',
  );
}

async function checkEmpty(client: pg.ClientBase, table: string): Promise<void> {
  const { rowCount } = await client.query(`select from ${table} limit 1`);
  if (rowCount !== 0) throw new Error(`Only a new database is filled: ${table} has rows.`);
}

async function markAddedUp(client: pg.ClientBase, spans: readonly Span[], now: Date): Promise<void> {
  const { rows } = await client.query<{ added_up_to: Date }>(
    `update event_totals_state set added_up_to = date_trunc('day', least($1::timestamptz, now()) - interval '24 hours', 'UTC')
     where added_up_to is null returning added_up_to`,
    [now],
  );
  const last = Math.max(...spans.map(({ to }) => to.getTime()));
  if (rows[0] === undefined || rows[0].added_up_to.getTime() < last) {
    throw new Error('Events were added up before they are a day old.');
  }
}
