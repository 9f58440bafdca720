import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Target, TargetShop } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

const ORDERS = 1_000_000;
const PER_PAGE = 25;

function shopOf({ orderShop }: Target): TargetShop {
  if (orderShop === null) throw new Error('The shop with many orders was not made');
  return orderShop;
}

const page = (companyId: number, condition: string): string => `
select o.*, (select json_agg(i) from order_items i where i.company_id = o.company_id and i.order_id = o.id) as items
from orders o where o.company_id = ${companyId} and ${condition} order by o.id desc limit ${PER_PAGE};`;

const DAY_MS = 24 * 3_600_000;

/** YYYY-MM-DD, in UTC. */
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Typical queries of the list: all, by status, by days, both; each at any existing page. */
const QUERIES: (() => string)[] = [
  () => `page=${randomBetween(1, ORDERS / PER_PAGE)}`,
  () => `status=processing&page=${randomBetween(1, ORDERS / 6 / PER_PAGE)}`,
  () => {
    const days = randomBetween(1, 300);
    // 2,880 orders a day.
    const page = randomBetween(1, (days * 2_880) / PER_PAGE - 1);
    return `date_from=${daysAgo(days + 20)}&date_to=${daysAgo(21)}&page=${page}`;
  },
  () => `status=delivered&date_from=${daysAgo(randomBetween(30, 200))}&page=${randomBetween(1, 1_000)}`,
];

export const orderList: Scenario = {
  name: 'order-list',
  title: 'any page of 25 of 1,000,000 orders, by status and days, with total, one at a time',
  needs: 'orders',
  connections: 1,
  requests: (target) => (n) =>
    commerceRequest(target, shopOf(target), 'GET', `/orders?per_page=${PER_PAGE}&${QUERIES[n % QUERIES.length]!()}`),
  status: 200,
  limit: {
    title: 'a page by key, without a total',
    script: (target) => `
\\set below random(1000, ${ORDERS})
${page(shopOf(target).companyId, `o.id < :below + (select min(id) from orders where company_id = ${shopOf(target).companyId})`)}`,
  },
  goal: { p99Ms: 5 },
};

export const orderListOfCustomer: Scenario = {
  name: 'customer-orders',
  title: "a customer's orders, of 1,000,000, with total, one at a time",
  needs: 'orders',
  connections: 1,
  requests: (target) => {
    const { firstCustomer, lastCustomer } = shopOf(target);
    return () =>
      commerceRequest(
        target,
        shopOf(target),
        'GET',
        `/orders?per_page=${PER_PAGE}&customer_id=${randomBetween(firstCustomer, lastCustomer)}`,
      );
  },
  status: 200,
  limit: {
    title: 'the same page by key, without a total',
    script: (target) => {
      const { companyId, firstCustomer, lastCustomer } = shopOf(target);
      return `
\\set customer random(${firstCustomer}, ${lastCustomer})
${page(companyId, 'o.customer_id = :customer')}`;
    },
  },
  goal: { p99Ms: 5 },
};
