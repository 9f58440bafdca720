import { describe, expect, it } from 'vitest';
import { fileReadings } from '../readings/readings.ts';
import { amountOf, consentOf, lineOf, listOf, momentOf, RowFault, readAt, shown, wholeOf } from './values.ts';

const NOW = new Date('2026-03-15T12:00:00Z');
const readings = (timeZone: string) => fileReadings([], { dateOrder: 'day_first', separator: 'point', timeZone });
const read = (text: string | undefined, timeZone = 'UTC') => momentOf('created_at', text, readings(timeZone), NOW);

describe('a moment in the past', () => {
  it('is read in the time zone of the file', () => {
    expect(read('2026-03-15 09:00')).toEqual(new Date('2026-03-15T09:00:00Z'));
    expect(read('2026-03-15 09:00', 'Asia/Tokyo')).toEqual(new Date('2026-03-15T00:00:00Z'));
    expect(read(undefined)).toBeNull();
  });

  it('may be tomorrow’s by the clock of another time zone, and is now', () => {
    // In Auckland it is 1 a.m. of the 16th. The file does not say that its times are from there.
    expect(read('2026-03-16 01:00')).toEqual(NOW);
    expect(read('2026-03-15 12:00:01')).toEqual(NOW);
    expect(read('2026-03-16 12:00:00')).toEqual(NOW);
  });

  it('is refused a day from now, and before 1980', () => {
    expect(() => read('2026-03-16 12:00:01')).toThrow('is in the future');
    expect(() => read('1979-12-31 23:59')).toThrow('is no date');
    expect(read('1980-01-01 00:00')).toEqual(new Date('1980-01-01T00:00:00Z'));
  });
});

describe('an amount', () => {
  const amount = (text: string, exponent = 2) => amountOf('price', text, exponent, readings('UTC'));

  it('is in minor units, half up where the file has more decimals than the currency', () => {
    expect(['12.5', '12.344', '12.345', '12', '-3.999'].map((text) => amount(text))).toEqual([
      1250, 1234, 1235, 1200, -400,
    ]);
    expect([amount('12.5', 0), amount('12.4999', 0), amount('1.2345', 3)]).toEqual([13, 12, 1235]);
    expect(() => amount('1000000000')).toThrow('too large');
  });

  it('that is read the other way is told apart from none', () => {
    expect(() => amount('12,50')).toThrow('does not have a point before its decimals');
    expect(() => amount('cheap')).toThrow('is no amount');
    expect(() => amount('1,23.4.5')).toThrow('is no amount');
  });
});

describe('a whole number', () => {
  it('is one from minus to plus its maximum', () => {
    const whole = (text: string) => wholeOf('stock', text, 100, readings('UTC'));
    expect(['0', '100', '-100'].map(whole)).toEqual([0, 100, -100]);
    for (const text of ['101', '-101', '1.5', 'two']) expect(() => whole(text)).toThrow('is no whole number');
  });
});

describe('other values', () => {
  it('of consent are words and yes or no', () => {
    const words = ['subscribed', 'Unsubscribed', 'never', 'yes', 'no'];
    expect(words.map((word) => consentOf('consent', word))).toEqual([
      'subscribed',
      'unsubscribed',
      'never',
      'subscribed',
      'never',
    ]);
    expect(consentOf('consent', undefined)).toBeNull();
    expect(() => consentOf('consent', 'maybe')).toThrow('is no consent');
  });

  it('of lists are split at commas and semicolons, without quotes, empty parts and repetitions', () => {
    expect(listOf(' "tea" , mugs;;tea, "old cups" ')).toEqual(['tea', 'mugs', 'old cups']);
    expect(listOf(undefined)).toEqual([]);
  });

  it('of one line may have a comma or a second line, but not both', () => {
    expect([lineOf('name', 'Tea, green', 50), lineOf('name', 'Tea\ngreen', 50)]).toEqual(['Tea, green', 'Tea\ngreen']);
    expect(() => lineOf('name', 'Tea,1\nMug,2', 50)).toThrow('several lines');
    expect(() => lineOf('name', 'x'.repeat(51), 50)).toThrow('at most 50');
  });

  it('are shown up to 60 characters', () => {
    expect(shown('x'.repeat(60))).toBe('x'.repeat(60));
    expect(shown(`${'x'.repeat(60)}yz`)).toBe(`${'x'.repeat(60)}…`);
  });

  it('at fault name their row, unless another row is named already', () => {
    const fault = (row: number | undefined) => {
      const one = new RowFault('price', 'wrong');
      one.at = row;
      return one;
    };
    const thrown = (error: Error) => {
      try {
        return readAt(4, () => {
          throw error;
        });
      } catch (caught) {
        return (caught as RowFault).at;
      }
    };
    expect([thrown(fault(undefined)), thrown(fault(2)), thrown(new Error('other'))]).toEqual([4, 2, undefined]);
  });
});
