import { expect, test } from 'vitest';
import { openParts } from '../../../admin/src/pages/payments/refundable.ts';

const items = [
  { id: 1, product_name: 'Tea', qty: 3, subtotal: 11, discount: 1, tax: 0 },
  { id: 2, product_name: 'Whisk', qty: 1, subtotal: 5.5, discount: 0, tax: 0.55 },
];
// 10.00 and 6.05 for the lines, 4.40 for shipping with its tax.
const order = { currency: 'EUR', total: 20.45, items };
const refund = (line_id: number, qty: number, shipping: number) => ({ shipping, lines: [{ line_id, qty }] });

test('what is left of an order is without what refunds have named, and its shares add up to what was charged', () => {
  const whole = openParts(order, []);
  expect(whole.lines.map(({ left }) => left)).toEqual([3, 1]);
  expect(whole.lines.map((line) => line.shareOf(line.left))).toEqual([10, 6.05]);
  expect(whole.shipping).toBe(4.4);
  const rest = openParts(order, [refund(1, 1, 1.4), refund(2, 1, 0)]);
  expect(rest.lines.map(({ left }) => left)).toEqual([2, 0]);
  expect(whole.lines[0]!.shareOf(1) + rest.lines[0]!.shareOf(2)).toBe(10);
  expect([1, 2].map((n) => rest.lines[0]!.shareOf(n))).toEqual([3.34, 6.67]);
  expect(rest.shipping).toBe(3);
});
