import { randomBetween, storeRequest } from '../load/http-request.ts';
import { productById } from './product-by-id.ts';
import { productList10k } from './product-list.ts';
import type { Scenario } from './scenario.ts';

/** Browsers of as many visitors, each of which waits for its page. */
const VISITORS = 16;
const PER_PAGE = 25;

export const storeProducts: Scenario = {
  name: 'store-products',
  title: "a visitor's page of 25 of 10,000 products, among the first 20 pages",
  connections: VISITORS,
  requests: (target) => () =>
    storeRequest(target, target.shop, `/products?per_page=${PER_PAGE}&page=${randomBetween(1, 20)}`),
  status: 200,
  limit: productList10k.limit,
  goal: { p99Ms: 50 },
};

export const storeProduct: Scenario = {
  name: 'store-product',
  title: "a visitor's product, any of 10,000",
  connections: VISITORS,
  requests: (target) => () => {
    const { firstProduct, lastProduct } = target.shop;
    return storeRequest(target, target.shop, `/products/${randomBetween(firstProduct, lastProduct)}`);
  },
  status: 200,
  limit: productById.limit,
  goal: { p99Ms: 25 },
};
