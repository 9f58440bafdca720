import type { OrderStatus } from '../commerce/orders/status.ts';
import { ITEMS } from './catalogue.ts';
import { USED_PROMO } from './configuration.ts';
import type { DemoCustomer } from './people.ts';
import type { Random } from './random.ts';

/** An order of the demo shop's past. Hours count back from the moment at which the shop is created. */
export interface DemoOrder {
  /** Index into the people. */
  customer: number;
  /** Index into what can be ordered. */
  lines: { item: number; qty: number }[];
  usesPromo: boolean;
  hoursAgo: number;
  /** Its later status changes, in order. */
  moves: { status: OrderStatus; hoursAgo: number }[];
}

const DAYS = 90;
/** What orders contain: that of which there is enough. */
const SOLD = ITEMS.flatMap(({ stock }, index) => (stock >= 30 ? [index] : []));

/** Orders of the last 90 days, oldest first, more of them recently: a growing shop. */
export function inventOrders(random: Random, people: readonly DemoCustomer[], count: number): DemoOrder[] {
  const hours = Array.from({ length: count }, () => Math.ceil(DAYS * 24 * random.next() ** 1.5));
  hours.sort((a, b) => b - a);
  return hours.map((hoursAgo) => {
    const joined = people.filter((person) => person.joinedDaysAgo * 24 > hoursAgo).length;
    // The people are sorted by age of account: the oldest customers order most.
    const customer = Math.floor(joined * random.next() ** 1.4);
    const lines = inventLines(random);
    const subtotal = lines.reduce((sum, { item, qty }) => sum + ITEMS[item]!.price * qty, 0);
    const usesPromo = subtotal >= USED_PROMO.minSubtotal && random.next() < 0.2;
    return { customer, lines, usesPromo, hoursAgo, moves: inventMoves(random, hoursAgo) };
  });
}

function inventLines(random: Random): DemoOrder['lines'] {
  const items = new Set(Array.from({ length: random.pick([1, 1, 2, 2, 3, 4]) }, () => random.pick(SOLD)));
  return [...items].map((item) => ({ item, qty: random.pick([1, 1, 1, 2, 2, 3]) }));
}

function inventMoves(random: Random, placed: number): DemoOrder['moves'] {
  const path: [OrderStatus, number][] =
    random.next() < 0.05
      ? [['cancelled', random.between(1, 20)]]
      : [
          ['processing', random.between(2, 20)],
          ['shipped', random.between(24, 44)],
          ['delivered', random.between(72, 120)],
        ];
  return path.map(([status, after]) => ({ status, hoursAgo: placed - after })).filter(({ hoursAgo }) => hoursAgo > 0);
}
