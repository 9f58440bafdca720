import { describe, expect, test } from 'vitest';
import { afterSave, isChanged, onlyChanged, shownValues, withEdit } from '../../../admin/src/ui/form/edits.ts';
import { instantOf, localMoment } from '../../../admin/src/ui/form/moments.ts';
import { numberOf, twoReadings } from '../../../admin/src/ui/form/numbers.ts';
import { bodyValue, type Field, fieldOfError, percentText, shownError } from '../../../admin/src/ui/form/values.ts';

const SHOP = { currency: 'EUR', time_zone: 'Europe/Amsterdam' };
const price: Field = { name: 'price', label: 'Price', type: 'money' };
const name: Field = { name: 'name', label: 'Name', type: 'text' };

describe('numbers as they are typed', () => {
  test.each([
    ['12.50', 12.5],
    ['12,50', 12.5],
    ['1 250', 1250],
    ['1250', 1250],
    ['0.125', 0.125],
    ['0,125', 0.125],
    ['1250,500', 1250.5],
    ['-3', -3],
    ['1,250', '1,250'],
    ['1.250', '1.250'],
    ['-12,000', '-12,000'],
    ['1,250.00', '1,250.00'],
    ['twelve', 'twelve'],
  ])('%s is %s', (text, value) => {
    expect(numberOf(text)).toBe(value);
  });

  test('a rate, and money of a currency with three digits, may have three digits behind the separator', () => {
    expect(numberOf('12.375', true)).toBe(12.375);
    expect(bodyValue(price, '12.375', { ...SHOP, currency: 'KWD' })).toBe(12.375);
    expect(bodyValue(price, '12.375', SHOP)).toBe('12.375');
  });

  test('both numbers that a text can mean are named', () => {
    expect(twoReadings('1,250')).toEqual(['1250', '1.25']);
    expect(twoReadings('1250')).toBeNull();
  });
});

describe('fractions that are typed in percent', () => {
  const rate: Field = { name: 'rate', label: 'Rate', type: 'number', precise: true, percent: true };

  test.each([
    ['8.25', 0.0825],
    ['19', 0.19],
    ['0,1', 0.001],
    ['14.975', 0.14975],
  ])('%s is %s', (text, fraction) => {
    expect(bodyValue(rate, text, SHOP)).toBe(fraction);
    expect(percentText(fraction)).toBe(text.replace(',', '.'));
  });

  test('errors name their limits in percent as well', () => {
    const error = { field: 'rate', message: 'rate must be <= 1', code: 'maximum', params: { limit: 1 } };
    expect(shownError(error, [rate]).params).toEqual({ limit: 100 });
    expect(shownError({ ...error, field: 'price' }, [rate, price]).params).toEqual({ limit: 1 });
  });
});

test.each([
  ['custom.material', 'custom.material'],
  ['custom.unknown', 'custom'],
  ['categories[0]', 'categories'],
  ['/images/1/url', 'images'],
])('an error of %s is one of the field %s', (field, name) => {
  const names = new Set(['custom.material', 'categories', 'images']);
  expect(fieldOfError({ field, message: 'is required' }, names)).toBe(name);
});

describe('moments as they are typed', () => {
  test.each([
    ['2026-01-15T09:30', 'Europe/Amsterdam', '2026-01-15T08:30:00.000Z'],
    ['2026-07-15T09:30', 'Europe/Amsterdam', '2026-07-15T07:30:00.000Z'],
    ['2026-03-29T03:30', 'Europe/Amsterdam', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T01:30', 'Europe/Amsterdam', '2026-03-29T00:30:00.000Z'],
    ['2026-10-25T04:00', 'Europe/Amsterdam', '2026-10-25T03:00:00.000Z'],
    ['2026-12-31T23:45', 'Asia/Kolkata', '2026-12-31T18:15:00.000Z'],
    ['2026-11-01T05:00', 'America/New_York', '2026-11-01T10:00:00.000Z'],
  ])('%s in %s is %s, and is shown as it was typed', (typed, zone, instant) => {
    expect(instantOf(typed, zone)).toBe(instant);
    expect(localMoment(instant, zone)).toBe(typed);
  });

  test.each([
    ['2027-03-14T02:30', 'America/Los_Angeles', '2027-03-14T03:30'],
    ['2027-03-28T02:30', 'Europe/Amsterdam', '2027-03-28T03:30'],
    ['2027-09-05T00:00', 'America/Santiago', '2027-09-05T01:00'],
  ])('%s, which clocks in %s skip, is %s', (typed, zone, shown) => {
    expect(localMoment(instantOf(typed, zone), zone)).toBe(shown);
  });

  test('an invalid time is left to the server', () => {
    expect(instantOf('soon', 'Europe/Amsterdam')).toBe('soon');
    expect(localMoment(null, 'Europe/Amsterdam')).toBe('');
  });
});

describe('edits over stored values', () => {
  const stored = { name: 'Tea', price: '12.5' };

  test('unedited fields show values that another person saved', () => {
    const edits = withEdit(stored, {}, 'name', 'Green tea');
    expect(shownValues({ name: 'Tea!', price: '14' }, edits)).toEqual({ name: 'Green tea', price: '14' });
  });

  test('a field is changed when the API would be sent something else', () => {
    const edits = withEdit(stored, withEdit(stored, {}, 'price', '12.50'), 'name', ' Tea ');
    expect([isChanged(price, edits.price, SHOP), isChanged(name, edits.name, SHOP)]).toEqual([false, false]);
    expect(isChanged(price, withEdit(stored, edits, 'price', '12.51').price, SHOP)).toBe(true);
  });

  test('a change is compared with the value stored when it began', () => {
    const begun = withEdit(stored, {}, 'price', '13');
    const back = withEdit({ name: 'Tea', price: '14' }, begun, 'price', '12.5');
    expect(isChanged(price, back.price, SHOP)).toBe(false);
    expect(onlyChanged(back, [price, name], SHOP)).toEqual({});
  });

  test('after a save only fields edited meanwhile count as changed', () => {
    const sent = withEdit(stored, withEdit(stored, {}, 'price', '12.60'), 'name', 'Green tea');
    const meanwhile = withEdit(stored, sent, 'name', 'Green teas');
    const after = afterSave(meanwhile, shownValues(stored, sent));
    expect(isChanged(price, after.price, SHOP)).toBe(false);
    expect(isChanged(name, after.name, SHOP)).toBe(true);
    expect(Object.keys(onlyChanged(after, [price, name], SHOP))).toEqual(['name']);
  });
});
