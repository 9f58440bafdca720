import { describe, expect, test } from 'vitest';
import { warmingDomainOf } from './domain-of.ts';
import { completesOn, dayIn, daysOf, nextDayIn, quotaOn, type WarmUpPlan } from './plan.ts';

const plan: WarmUpPlan = { starts_on: '2026-03-27', ends_on: '2026-03-31', messages: 50, growth: 1.5 };

describe('a warm-up', () => {
  test('grows day by day and limits nothing outside of its days', () => {
    expect(daysOf(plan).map(({ messages }) => messages)).toEqual([50, 75, 112, 168, 253]);
    expect(daysOf(plan).map(({ day }) => day)).toEqual(['27', '28', '29', '30', '31'].map((day) => `2026-03-${day}`));
    expect([quotaOn(plan, '2026-03-26'), quotaOn(plan, '2026-04-01')]).toEqual([null, null]);
  });

  test('stays a number that can be counted', () => {
    const steep = { ...plan, ends_on: '2026-09-22', messages: 1_000_000, growth: 10 };
    expect(quotaOn(steep, '2026-09-22')).toBe(1_000_000_000);
  });

  test.each([
    [0, '2026-03-27'],
    [40, '2026-03-27'],
    [41, '2026-03-28'],
    [40 + 75 + 112, '2026-03-29'],
    [10_000, '2026-04-01'],
  ])('%i open messages are done on %s where ten have gone', (open, day) => {
    expect(completesOn(plan, open, '2026-03-27', 10)).toBe(day);
  });

  test('has the days of a time zone, also when its clock changes', () => {
    const night = new Date('2026-03-28T23:30:00Z');
    expect([dayIn('Europe/Berlin', night), dayIn('UTC', night)]).toEqual(['2026-03-29', '2026-03-28']);
    expect(nextDayIn('Europe/Berlin', night)).toEqual(new Date('2026-03-29T22:00:00Z'));
    expect(nextDayIn('UTC', night)).toEqual(new Date('2026-03-29T00:00:00Z'));
  });

  test('is that of the longest sending domain, unless one below it stands for itself', () => {
    const of = (domain: string, domain_id: number) => ({ domain_id, domain, plan });
    const signer = (domain: string) => ({ domain, selector: 's', sealed_key: '', failing: false });
    const company = {
      warmUps: [of('shop.example', 1), of('deep.news.shop.example', 2)],
      signers: [signer('shop.example'), signer('news.shop.example')],
    };
    const found = (from: string) => warmingDomainOf(company, from)?.domain_id ?? null;
    expect(
      ['a@shop.example', 'a@x.shop.example', 'a@news.shop.example', 'a@deep.news.shop.example', 'a@other.example'].map(
        found,
      ),
    ).toEqual([1, 1, null, 2, null]);
  });
});
