import { expect, test } from 'vitest';
import { OrderBooks } from './books.ts';
import type { PaymentMethod } from './methods/method.ts';
import { divide, shareOf } from './refunds/shares.ts';

/** For payments by services; manual ones do without. */
const START = { kind: 'any', capture: 'at_once', return_url: 'https://shop.example', save: false } as const;
const WRITER = { timeZone: 'UTC', currency: 'EUR', accounts: [], actor: 'test', now: new Date('2026-03-01T12:00:00Z') };
const method = (id: number): PaymentMethod => ({
  id,
  provider: 'manual',
  kind: id === 1 ? 'bank_transfer' : 'cash',
  name: `Method ${id}`,
  description: null,
  instructions: null,
  account_id: null,
  position: 0,
  active: true,
  staff_only: false,
  places: 'at_once',
  reserve_minutes: 60,
  capture: 'at_once',
  min_total: null,
  max_total: null,
});
const newBooks = (total = 1_000) => new OrderBooks({ id: 7, total }, null, WRITER);
const receive = (books: OrderBooks, amount: number, by = 1, id = 20) =>
  books.receive({ method: method(by), amount, reference: null, receivedOn: null }, id);
const refund = (books: OrderBooks, id: number, amount: number) => books.refund(id, divide(amount, books.payments)!);
const entries = (books: OrderBooks) => books.entries.map(({ kind, amount }) => [kind, amount]);

test('money in parts is added to the payment that awaits it, and makes the order paid', () => {
  const books = newBooks();
  const payment = books.await(method(1), 20, START);
  expect(payment).toMatchObject({ id: 20, order_id: 7, amount: 1_000, status: 'action_required', reference: 'PAY-20' });
  expect(books.balance).toEqual({ charged: 1_000, paid: 0, refunded: 0, payment_status: 'pending' });
  expect(receive(books, 400)).toBe(payment);
  expect([payment.status, books.balance.payment_status, books.owed]).toEqual([
    'action_required',
    'partially_paid',
    600,
  ]);
  receive(books, 600);
  expect([payment.status, books.balance.payment_status, books.owed]).toEqual(['paid', 'paid', 0]);
  expect(entries(books)).toEqual([
    ['order', 1_000],
    ['manual', 400],
    ['manual', 600],
  ]);
  expect(new Set(books.entries.map(({ cause }) => cause)).size).toBe(3);
});

test('once nothing is owed, no payment is awaited: what arrived of it in part is all of it', () => {
  const books = newBooks();
  const [first, second] = [books.await(method(1), 20, START), books.await(method(2), 21, START)];
  expect([first.status, second.status]).toEqual(['cancelled', 'action_required']);
  receive(books, 300, 2);
  receive(books, 700, 1, 22);
  expect([second.status, second.amount, second.captured]).toEqual(['paid', 300, 300]);
  expect(books.payments.at(-1)).toMatchObject({ id: 22, status: 'paid', amount: 700, captured: 700 });
});

test('a payment that is no longer awaited leaves the order failed', () => {
  const books = newBooks();
  books.stop(books.await(method(1), 20, START));
  expect(books.balance.payment_status).toBe('failed');
});

test('a refund credits the buyer with what was not paid too much', () => {
  const books = newBooks();
  receive(books, 1_200);
  expect([books.owed, books.balance.payment_status]).toEqual([-200, 'paid']);
  refund(books, 1, 150);
  expect([books.owed, books.balance.payment_status]).toEqual([-50, 'partially_refunded']);
  refund(books, 2, 350);
  refund(books, 3, 700);
  expect(entries(books).slice(2)).toEqual([
    ['refund', -150],
    ['credit', -300],
    ['refund', -350],
    ['credit', -700],
    ['refund', -700],
  ]);
  expect(books.balance).toEqual({ charged: 0, paid: 1_200, refunded: 1_200, payment_status: 'refunded' });
});

test('a refund takes from the newest payment back, and no more than was received', () => {
  const books = newBooks();
  receive(books, 400, 1, 20);
  receive(books, 600, 2, 21);
  expect(divide(1_001, books.payments)).toBeNull();
  expect(divide(700, books.payments)?.map(({ payment, amount }) => [payment.id, amount])).toEqual([
    [21, 600],
    [20, 100],
  ]);
  refund(books, 1, 700);
  expect(books.payments.map(({ status }) => status)).toEqual(['partially_refunded', 'refunded']);
  expect(divide(301, books.payments)).toBeNull();
});

test('a cancelled order is charged nothing, and its money is to be paid back', () => {
  const books = newBooks();
  const awaited = books.await(method(1), 20, START);
  receive(books, 400, 2, 21);
  books.cancel({ refunds: true });
  expect(entries(books).at(-1)).toEqual(['cancel', -1_000]);
  expect([awaited.status, books.owed]).toEqual(['cancelled', -400]);
  refund(books, 1, 400);
  expect(books.balance).toEqual({ charged: 0, paid: 400, refunded: 400, payment_status: 'refunded' });
});

test('the shares of the units of a line add up to its amount', () => {
  const line = { id: 1, qty: 3, subtotal: 1_000, discount: 1, tax: 2 };
  const shares = [0, 1, 2].map((refunded) => shareOf({ ...line, refunded }, 1));
  expect(shares).toEqual([334, 333, 334]);
  expect(shareOf({ ...line, refunded: 0 }, 3)).toBe(1_001);
  expect(shareOf({ ...line, refunded: 1 }, 2)).toBe(667);
  expect(shareOf({ ...line, subtotal: 9_007_199_254_740_000, qty: 9_999, refunded: 0 }, 9_999)).toBe(
    9_007_199_254_740_001,
  );
});

test('a payment asks for no more than is owed', () => {
  const books = newBooks();
  const awaited = books.await(method(1), 20, START);
  receive(books, 300, 2, 21);
  expect([awaited.amount, awaited.status]).toEqual([700, 'action_required']);
  receive(books, 200);
  receive(books, 100, 2, 22);
  expect([awaited.amount, awaited.captured, books.owed]).toEqual([600, 200, 400]);
  receive(books, 400);
  expect([awaited.status, books.owed]).toEqual(['paid', 0]);
});

test('a payment by a service that would take more than is owed is cancelled', () => {
  const books = newBooks();
  const byCard = books.await({ ...method(1), provider: 'stripe', kind: 'any', account_id: 5 }, 20, START);
  receive(books, 300, 2, 21);
  expect(books.operations.map(({ kind, payment_id }) => [kind, payment_id])).toEqual([
    ['start', byCard.id],
    ['cancel', byCard.id],
  ]);
});

test('payments that were written before the ledger are kept', () => {
  const before = newBooks().await(method(1), 20, START);
  const books = new OrderBooks({ id: 7, total: 1_000 }, { payments: [before], balance: null }, WRITER);
  expect([entries(books), books.balance.payment_status]).toEqual([[['order', 1_000]], 'pending']);
  expect(receive(books, 1_000)).toBe(before);
});
