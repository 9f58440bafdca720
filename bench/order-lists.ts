import { commerceRequest, randomBetween, type Scenario, type Target, type TargetShop } from './scenario.ts';

const ORDERS = 1_000_000;
const PER_PAGE = 25;

function shopOf({ orderShop }: Target): TargetShop {
  if (orderShop === null) throw new Error('The shop with many orders was not made');
  return orderShop;
}

const page = (companyId: number, condition: string): string => `
select o.*, (select json_agg(i) from order_items i where i.company_id = o.company_id and i.order_id = o.id) as items
from orders o where o.company_id = ${companyId} and ${condition} order by o.id desc limit ${PER_PAGE};`;

export const orderList: Scenario = {
  name: 'order-list',
  title: 'any page of 25 of 1,000,000 orders, with total',
  needs: 'orders',
  requests: (target) => () =>
    commerceRequest(
      target,
      shopOf(target),
      'GET',
      `/orders?per_page=${PER_PAGE}&page=${randomBetween(1, ORDERS / PER_PAGE)}`,
    ),
  status: 200,
  limit: {
    title: 'a page by key, without a total',
    script: (target) => `
\\set below random(1000, ${ORDERS})
${page(shopOf(target).companyId, `o.id < :below + (select min(id) from orders where company_id = ${shopOf(target).companyId})`)}`,
  },
  goal: 0.2,
};

export const orderListOfCustomer: Scenario = {
  name: 'customer-orders',
  title: "a customer's orders, of 1,000,000, with total",
  needs: 'orders',
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
  goal: 0.2,
};
