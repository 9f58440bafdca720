import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { sql } from '../sql.ts';
import { parseTimestamp } from './timestamp.ts';

const server = testServer();
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
