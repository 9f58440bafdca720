import { cardCheckout } from './card-checkout.ts';
import { cartLine, cartRead } from './carts.ts';
import { checkout } from './checkout.ts';
import { contactSearch } from './contact-search.ts';
import { contactUpsert } from './contact-upsert.ts';
import type { Drain } from './drain.ts';
import { enrolment } from './enrolment.ts';
import { eventBatch, eventTracked, webhook } from './events.ts';
import { flowLateness, flowSteps } from './flow-steps.ts';
import { orderList, orderListOfCustomer } from './order-lists.ts';
import { orderStatus } from './order-status.ts';
import { orderFull, orderHot, orderLocations, orderRandom } from './orders.ts';
import { productById } from './product-by-id.ts';
import { productFacets } from './product-facets.ts';
import { productList10k, productList100k } from './product-list.ts';
import { productSearch } from './product-search.ts';
import { productVariants } from './product-variants.ts';
import { renewals } from './renewals.ts';
import { placeReserved, reserve } from './reservations.ts';
import type { Scenario } from './scenario.ts';
import { storeProduct, storeProducts } from './store-catalogue.ts';

/** Everything that is measured by requests. */
export const scenarios: Scenario[] = [
  productById,
  productVariants,
  productList10k,
  productList100k,
  productFacets,
  orderRandom,
  orderLocations,
  orderHot,
  eventTracked,
  eventBatch,
  webhook,
  enrolment,
  contactUpsert,
  orderFull,
  cartRead,
  cartLine,
  reserve,
  placeReserved,
  storeProducts,
  storeProduct,
  productSearch,
  orderList,
  orderListOfCustomer,
  orderStatus,
  contactSearch,
];

/** Everything that is measured with work of the workers. */
export const drains: Drain[] = [checkout, cardCheckout, renewals, flowSteps, flowLateness];

/** @throws Error naming the existing ones */
export function scenarioNamed(name: string): Scenario {
  return oneNamed(scenarios, name);
}

/** Of either kind. @throws Error naming the existing ones */
export function measurableNamed(name: string): Scenario | Drain {
  return oneNamed([...scenarios, ...drains], name);
}

function oneNamed<T extends { name: string }>(all: readonly T[], name: string): T {
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no scenario ${name}; there are ${all.map((each) => each.name).join(', ')}`);
}
