import { expect, test } from 'vitest';
import { readingDefaults } from '../run/context.ts';
import { dateOrderOf, lacksTimeZone, momentIn } from './dates.ts';
import { decimalOf, separatorOf } from './numbers.ts';
import { defaultsOf } from './readings.ts';
import { Survey } from './survey.ts';

test.each([
  ['1.234,56', 'comma', null, '1234.56'],
  ['1,234.56', 'point', '1234.56', null],
  ['1.234', 'either', '1.234', '1234'],
  ['-1,234', 'either', '-1234', '-1.234'],
  ['1.234.567', 'comma', null, '1234567'],
  ['12.5', 'point', '12.5', null],
  ['0,125', 'comma', null, '0.125'],
  ['1234.567', 'point', '1234.567', null],
  ['€ 1’234.50', 'point', '1234.50', null],
  ['1,23,456.70', 'point', '123456.70', null],
  ['1 234', null, '1234', '1234'],
  ['.5', 'point', '0.5', null],
  ['12', null, '12', '12'],
  ['cheap', null, null, null],
  ['Fr. 12.50', 'point', '12.50', null],
  ['kr. 1.234,50', 'comma', null, '1234.50'],
  ['Rs. 499.00', 'point', '499.00', null],
  ['1,2.3.4', null, null, null],
])('%s', (text, admits, byPoint, byComma) => {
  expect([separatorOf(text), decimalOf(text, 'point'), decimalOf(text, 'comma')]).toEqual([admits, byPoint, byComma]);
});

test.each([
  ['03/04/2024', 'either', '2024-04-03T00:00:00.000Z', '2024-03-04T00:00:00.000Z'],
  ['13.04.2024', 'day_first', '2024-04-13T00:00:00.000Z', undefined],
  ['4-13-2024 10:30', 'month_first', undefined, '2024-04-13T10:30:00.000Z'],
  ['05/05/2024', null, '2024-05-05T00:00:00.000Z', '2024-05-05T00:00:00.000Z'],
  ['31/31/2024', null, undefined, undefined],
  ['29.02.2023', 'day_first', undefined, undefined],
  ['2024-03-04 10:00', null, '2024-03-04T10:00:00.000Z', '2024-03-04T10:00:00.000Z'],
  ['2024-03-04T10:00:00+01:00', null, '2024-03-04T09:00:00.000Z', '2024-03-04T09:00:00.000Z'],
])('%s', (text, admits, dayFirst, monthFirst) => {
  const read = (order: 'day_first' | 'month_first') => momentIn(text, order, 'UTC')?.toISOString();
  expect([dateOrderOf(text), read('day_first'), read('month_first')]).toEqual([admits, dayFirst, monthFirst]);
});

test('a time without an offset is of the time zone, around clock changes too', () => {
  const at = (text: string) => momentIn(text, 'day_first', 'Europe/Berlin')?.toISOString();
  expect(at('2024-03-04 10:00')).toBe('2024-03-04T09:00:00.000Z');
  expect(at('2024-07-04')).toBe('2024-07-03T22:00:00.000Z');
  expect(at('31.03.2024 02:30')).toBe('2024-03-31T01:30:00.000Z');
  expect(at('2024-03-04 10:00:00 UTC')).toBe('2024-03-04T10:00:00.000Z');
  expect(at('2024-03-04T10:00:00+99:00')).toBeUndefined();
  expect(['2024-03-04', '2024-03-04 10:00Z', '3/4/2024', 'soon'].map(lacksTimeZone)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test.each([
  ['US', 'month_first', 'point'],
  ['GB', 'day_first', 'point'],
  ['DE', 'day_first', 'comma'],
  ['CH', 'day_first', 'point'],
  ['FR', 'day_first', 'comma'],
])('files of %s are read as people there write', (country, dateOrder, separator) => {
  expect(defaultsOf({ country, timeZone: 'UTC' })).toEqual({ dateOrder, separator, timeZone: 'UTC' });
});

test('a column without a value that decides takes the reading of the others, dots have the day first', () => {
  const survey = new Survey();
  survey.add({ total: '1.234', tax: '1,50', created_at: '03.04.2024' });
  survey.add({ total: '2.000', tax: '2,50', created_at: '03.04.2024' });
  const us = { dateOrder: 'month_first', separator: 'point', timeZone: 'UTC' } as const;
  expect(survey.readings({}, us)).toEqual([
    { kind: 'date_order', field: 'created_at', value: 'day_first', decided_by: 'default', example: '03.04.2024' },
    { kind: 'time_zone', field: 'created_at', value: 'UTC', decided_by: 'default', example: '03.04.2024' },
    { kind: 'decimal_separator', field: 'total', value: 'comma', decided_by: 'values', example: '1.234' },
    { kind: 'decimal_separator', field: 'tax', value: 'comma', decided_by: 'values', example: null },
  ]);
});

test('a service’s files keep their decimal point wherever the company is', () => {
  const tunis = { country: 'TN', timeZone: 'Africa/Tunis' } as Parameters<typeof readingDefaults>[0];
  expect(readingDefaults(tunis, 'csv-orders').separator).toBe('comma');
  expect(readingDefaults(tunis, 'shopify-orders')).toMatchObject({ separator: 'point', timeZone: 'Africa/Tunis' });
});
