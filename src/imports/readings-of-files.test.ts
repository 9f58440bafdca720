import { beforeEach, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company({ timeZone: 'America/New_York' });
  imports = new TestImports(server, shop);
});

const HEADER = 'number,email,date,total,item name,price';
const file = (...rows: string[]): string => `${HEADER}\n${rows.join('\n')}\n`;
const row = (n: number, date: string, total: string): string => `${n},a@example.com,${date},"${total}",Cup,"${total}"`;

async function orders(): Promise<{ external_id: string; created_at: string; total: number }[]> {
  const stored = await server.rows<{ external_id: string; created_at: Date; total: string }>(
    'select external_id, created_at, total from orders where company_id = $1 order by external_id',
    [shop.company_id],
  );
  return stored.map(({ external_id, created_at, total }) => {
    return { external_id, created_at: created_at.toISOString(), total: Number(total) };
  });
}

test('one value decides for its whole column, and what contradicts it is refused with row and column', async () => {
  const done = await imports.import(
    'csv-orders',
    file(
      row(1, '03/04/2024', '1.234'),
      row(2, '13/04/2024', '1.234,56'),
      row(3, '14/04/2024', '12,50'),
      row(4, '04/15/2024', '5'),
      row(5, '05/04/2024', '12.50'),
    ),
  );
  expect(done).toMatchObject({ created: 3, refused: 2 });
  expect(await orders()).toEqual([
    { external_id: '1', created_at: '2024-04-03T04:00:00.000Z', total: 123_400 },
    { external_id: '2', created_at: '2024-04-13T04:00:00.000Z', total: 123_456 },
    { external_id: '3', created_at: '2024-04-14T04:00:00.000Z', total: 1_250 },
  ]);
  const zone = { kind: 'time_zone', value: 'America/New_York', decided_by: 'default', example: '03/04/2024' };
  expect(done.readings).toEqual([
    {
      column: 'date',
      field: 'created_at',
      kind: 'date_order',
      value: 'day_first',
      decided_by: 'values',
      example: '03/04/2024',
    },
    { column: 'date', field: 'created_at', ...zone },
    ...['total', 'price'].map((column) => ({
      column,
      field: column === 'price' ? 'item_price' : column,
      kind: 'decimal_separator',
      value: 'comma',
      decided_by: 'values',
      example: '1.234',
    })),
  ]);
  for (const phase of ['check', 'run'] as const) {
    expect(await imports.findings(done.id, phase)).toMatchObject([
      { row: 5, column: 'date', reason: '«04/15/2024» does not have the day first, as this column is read' },
      { row: 6, column: 'price', reason: '«12.50» does not have a comma before its decimals, as this column is read' },
    ]);
  }
});

test('what no value decides is told with its default, and an option decides it', async () => {
  const id = await imports.upload('csv-orders', file(row(1, '03/04/2024 10:00', '1.234')));
  const readings = async (options: object) => {
    const checked = await imports.check(id, options);
    expect(checked).toMatchObject({ status: 'checked', created: 1 });
    return checked.readings.map(({ value, decided_by }: { value: string; decided_by: string }) => [value, decided_by]);
  };
  expect(await readings({})).toEqual([
    ['month_first', 'default'],
    ['America/New_York', 'default'],
    ['point', 'default'],
    ['point', 'default'],
  ]);
  const options = { date_order: 'day_first', decimal_separator: 'comma', time_zone: 'Asia/Tokyo' };
  expect(await readings(options)).toEqual([
    ['day_first', 'option'],
    ['Asia/Tokyo', 'option'],
    ['comma', 'option'],
    ['comma', 'option'],
  ]);
  await imports.run(id);
  expect(await orders()).toEqual([{ external_id: '1', created_at: '2024-04-03T01:00:00.000Z', total: 123_400 }]);
});

test('values that contradict an option are rejected, as is an unknown time zone', async () => {
  const id = await imports.upload('csv-orders', file(row(1, '13/04/2024', '12.50'), row(2, '2024-04-13', '12')));
  expect(await imports.check(id, { date_order: 'month_first' })).toMatchObject({ created: 1, refused: 1 });
  const refused = await shop.commerce('POST', `/imports/${id}/check`, { time_zone: 'Mars/Olympus' });
  expect(refused.body).toMatchObject({ error: { details: { fields: [{ field: 'time_zone' }] } } });
});

test('a file without dates and numbers has no readings', async () => {
  expect((await imports.import('csv-contacts', 'email,consent\na@example.com,yes\n')).readings).toEqual([]);
});

test('an example is as much of a cell as is shown', async () => {
  const id = await imports.upload('csv-orders', file(row(1, `03/04/2024${' '.repeat(100_000)}10:00`, '5')));
  const { readings } = await imports.check(id, {});
  expect(readings.length).toBeGreaterThan(0);
  expect(JSON.stringify(readings).length).toBeLessThan(1_000);
});
