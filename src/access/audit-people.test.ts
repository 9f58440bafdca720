import { expect, test } from 'vitest';
import { withoutPeople } from './audit-people.ts';

test.each([
  ['ann@example.com', '•••'],
  ['Only Ann.B+x@Example.co.uk, please', 'Only •••, please'],
  ['export_ann@example.com_1.csv', '•••_1.csv'],
  ['?search=ann%40example.com&page=2', '?search=•••&page=2'],
  ['ann@example.com;bob@example.org', '•••;•••'],
  ['call +1 (213) 373-0001 today', 'call ••• today'],
  ['calls_12133730001.csv', 'calls_•••.csv'],
  ['213 373 0001', '•••'],
  ['2133730001', '•••'],
])('hides the addresses of %j', (text, shown) => {
  expect(withoutPeople({ rules: [{ value: text }] })).toEqual({ rules: [{ value: shown }] });
});

test.each(['2026-11-27', '2026-11-27T10:00:00Z', 'VIP @ home', '@media (x)', 'a@b', '100', 'ORDER-100234', '08:00'])(
  'leaves %j',
  (text) => {
    expect(withoutPeople([text, 12133730001, null])).toEqual([text, 12133730001, null]);
  },
);

test('leaves addresses of the shop itself', () => {
  const step = { from: 'Shop <shop@example.com>', content: 'Write to ann@example.com' };
  expect(withoutPeople({ config: step })).toEqual({
    config: { from: 'Shop <shop@example.com>', content: 'Write to •••' },
  });
});
