import { eventTracked } from './event-tracked.ts';
import { orderList, orderListOfCustomer } from './order-lists.ts';
import { orderStatus } from './order-status.ts';
import { orderFull, orderHot, orderRandom } from './orders.ts';
import { productById } from './product-by-id.ts';
import { productList10k, productList100k } from './product-list.ts';
import { productSearch } from './product-search.ts';
import type { Scenario } from './scenario.ts';

/** Everything that is measured. */
export const scenarios: Scenario[] = [
  productById,
  productList10k,
  productList100k,
  orderRandom,
  orderHot,
  eventTracked,
  orderFull,
  productSearch,
  orderList,
  orderListOfCustomer,
  orderStatus,
];

/** @throws Error naming those that there are */
export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no scenario ${name}; there are ${scenarios.map((each) => each.name).join(', ')}`);
}
