import { expect, test } from 'vitest';
import { allowedFrom, canMove, INITIAL_STATUS, ORDER_STATUSES } from './status.ts';

/** The table of the contract: rows from, columns to. */
const TABLE = `
             pending processing shipped delivered cancelled
pending      no      yes        yes     no        yes
processing   no      no         yes     yes       yes
shipped      no      no         no      yes       no
delivered    no      no         no      no        no
cancelled    no      no         no      no        no
`;

const [columns, ...rows] = TABLE.trim()
  .split('\n')
  .map((row) => row.trim().split(/\s+/));

test('an order moves as the table says, and in no other way', () => {
  expect(columns).toEqual(ORDER_STATUSES);
  const shown = ORDER_STATUSES.map((from) => [from, ...ORDER_STATUSES.map((to) => (canMove(from, to) ? 'yes' : 'no'))]);
  expect(shown).toEqual(rows);
});

test('an order starts pending, can always be finished, and never leaves an end', () => {
  expect(INITIAL_STATUS).toBe('pending');
  const ends = ORDER_STATUSES.filter((status) => allowedFrom(status).length === 0);
  expect(ends).toEqual(['delivered', 'cancelled']);
  const reaches = (from: (typeof ORDER_STATUSES)[number]): boolean =>
    from === 'delivered' || allowedFrom(from).some(reaches);
  expect(ORDER_STATUSES.filter(reaches)).toEqual(['pending', 'processing', 'shipped', 'delivered']);
});
