import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

export const productSearch: Scenario = {
  name: 'product-search',
  title: 'search for a number among 100,000 products, with total, one at a time',
  connections: 1,
  requests: (target) => () =>
    commerceRequest(target, target.largeShop, 'GET', `/products?search=${randomBetween(10_000, 99_999)}`),
  status: 200,
  limit: {
    title: 'the same words by the index, ids alone',
    script: ({ largeShop }) => `
\\set word random(10000, 99999)
select id from products where company_id = ${largeShop.companyId} and archived_at is null
  and search like '%' || :word || '%' order by id desc limit 25;`,
  },
  goal: { p99Ms: 10 },
};
