import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

/** Uses the shop's first so many orders, in turn. */
const ORDERS = 1_000;

/** Sets a tracking number; the status stays the same. */
export const orderStatus: Scenario = {
  name: 'order-status',
  title: 'PATCH of a tracking number',
  needs: 'orders',
  requests: (target: Target) => (n) => {
    const shop = target.orderShop!;
    const body = JSON.stringify({ tracking_number: `T-${n}-${randomBetween(1, 1_000_000)}` });
    return commerceRequest(
      target,
      shop,
      'PATCH',
      `/orders/${target.firstOrder + randomBetween(0, ORDERS - 1)}/status`,
      body,
    );
  },
  status: 200,
  limit: {
    title: 'one UPDATE by key',
    script: ({ orderShop, firstOrder }) => `
\\set id random(${firstOrder}, ${firstOrder + ORDERS - 1})
\\set number random(1, 1000000)
update orders set tracking_number = 'T-' || :number, updated_at = now() where company_id = ${orderShop!.companyId} and id = :id;`,
  },
  goal: 0.2,
};
