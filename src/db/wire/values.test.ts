import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { sql } from '../sql.ts';
import { parameterOf, parseTimestamp } from './values.ts';

const server = testServer();

const text = fc.string({
  unit: fc.constantFrom('a', 'é', '"', '\\', ',', '{', '}', ' ', '\n', '\t', "'", 'NULL', '💧'),
});
// A zero converted to text has no sign; pg writes none either.
const real = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);

describe('parameters arrive as they were sent', () => {
  test('arrays element by element', async () => {
    const elements = fc.record({
      texts: fc.array(fc.option(text)),
      numbers: fc.array(fc.option(fc.oneof(fc.maxSafeInteger(), real))),
      booleans: fc.array(fc.option(fc.boolean())),
      moments: fc.array(fc.option(fc.date({ noInvalidDate: true, min: new Date('0001-01-01T00:00:00Z') }))),
      bytes: fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
    });
    await fc.assert(
      fc.asyncProperty(elements, async ({ texts, numbers, booleans, moments, bytes }) => {
        const [row] = await server.app.db.query(sql`
          select ${texts}::text[] as t, ${numbers}::float8[] as n, ${booleans}::boolean[] as b,
            array(select extract(epoch from m) * 1000 from unnest(${moments}::timestamptz[]) m)::float8[] as m,
            ${bytes}::bytea[] as y`);
        const m = moments.map((moment) => moment?.getTime() ?? null);
        expect(row).toEqual({ t: texts, n: numbers, b: booleans, m, y: bytes });
      }),
      { numRuns: 100 },
    );
  });

  test('arrays in arrays, and objects', async () => {
    const nested = [
      ['a', 'b"\\'],
      ['', 'NULL'],
    ];
    const [row] = await server.app.db.query(sql`
      select ${nested}::text[] as t, ${{ a: [1, null] }}::jsonb as j, ${[{ a: '"' }, { b: [] }]}::jsonb[] as js,
        ${true} and not ${false} as b, ${Buffer.from([0, 255])}::bytea as y, ${new Uint8Array([9, 0, 255]).subarray(1)}::bytea as v, ${undefined}::int as n`);
    const js = [{ a: '"' }, { b: [] }];
    expect(row).toEqual({
      t: nested,
      j: { a: [1, null] },
      js,
      b: true,
      y: Buffer.from([0, 255]),
      v: Buffer.from([0, 255]),
      n: null,
    });
  });

  test.each([
    ['2026-11-22T10:11:12.345Z', '2026-11-22 10:11:12.345+00'],
    ['+012345-01-02T00:00:00.001Z', '12345-01-02 00:00:00.001+00'],
    ['+123456-01-02T00:00:00.000Z', '123456-01-02 00:00:00+00'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01 00:00:00+00'],
    ['0000-12-31T00:00:00.000Z', '0001-12-31 00:00:00+00 BC'],
    ['-000043-03-15T00:00:00.000Z', '0044-03-15 00:00:00+00 BC'],
  ])('the moment %s', async (iso, read) => {
    const [row] = await server.app.db.query(
      sql`select (${new Date(iso)}::timestamptz at time zone 'UTC')::text || '' as t`,
    );
    expect(row).toEqual({ t: read.replace('+00', '') });
  });
});

test('values without a representation are rejected', () => {
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  for (const value of [endless, [endless], new Date(Number.NaN)]) expect(() => parameterOf(value)).toThrow();
});

const byDriver: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

test('moments are read as the driver reads them, in every form that PostgreSQL writes', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  const fraction = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 999_999 }).map((n) => `.${String(n).padStart(6, '0')}`.replace(/0+$/, '')),
  );
  const zone = fc.constantFrom('+00', '+00', '+02', '-03:30', '+05:45', '+00:00:20');
  fc.assert(
    fc.property(moment, fraction, zone, (at, digits, offset) => {
      const text = `${at.toISOString().slice(0, 19).replace('T', ' ')}${digits}${offset}`;
      expect(parseTimestamp(text)).toEqual(byDriver(text));
    }),
    { numRuns: 2_000 },
  );
});

test.each(['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '12026-01-01 00:00:00+00'])('%s as well', (text) => {
  expect(parseTimestamp(text)).toEqual(byDriver(text));
});

test('moments come back from the database as they went, to the millisecond', async () => {
  const at = new Date('2026-02-28T23:59:59.007Z');
  const [row] = await server.app.db.query<{ at: Date }>(sql`select ${at}::timestamptz as at`);
  expect(row!.at).toEqual(at);
});
