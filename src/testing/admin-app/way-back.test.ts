import { expect, test } from 'vitest';
import { wayBack, withWayBack } from '../../../admin/src/app/way-back.ts';
import { everyDay } from '../../../admin/src/pages/campaigns/days.ts';

test.each(['campaigns/3/edit?step=what', 'flows/7/edit', 'flows/7/edit?view=outline&step=mail%202'])(
  'an editor leads back to %s',
  (path) => {
    const address = new URL(withWayBack('templates/5', path), 'https://app.example');
    expect(address.pathname).toBe('/templates/5');
    expect(wayBack(address.searchParams.get('return')!)).toBe(path);
  },
);

test.each([
  undefined,
  '',
  'campaigns/3',
  '//evil.example/x',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/../../2/orders',
  '/campaigns/../../2/orders',
  '/campaigns/\n3',
  '/campaigns/3#top',
  `/${'a'.repeat(600)}`,
])('%j is no way back', (value) => {
  expect(wayBack(value)).toBeNull();
});

test('the days of a report have those between them on which nothing happened, up to three months of them', () => {
  const day = (date: string, n = 1) => ({ date, n });
  const none = (date: string) => day(date, 0);
  expect(everyDay([], none)).toEqual([]);
  expect(everyDay([day('2026-02-27'), day('2026-03-01')], none)).toEqual([
    day('2026-02-27'),
    day('2026-02-28', 0),
    day('2026-03-01'),
  ]);
  const far = [day('2026-01-01'), day('2026-12-01')];
  expect(everyDay(far, none)).toEqual(far);
});
