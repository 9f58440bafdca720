import { commerceRequest } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

const FACETS = 'custom.colour,custom.size,custom.material,price,in_stock';

export const productFacets: Scenario = {
  name: 'product-facets',
  title: 'first page of 100,000 products with facets: three custom fields, price, stock; one at a time',
  connections: 1,
  needs: 'facets',
  requests: (target) => () => commerceRequest(target, target.facetShop!, 'GET', `/products?facets=${FACETS}`),
  status: 200,
  limit: {
    title: 'the values of the newest 20,000 products, by the index',
    script: ({ facetShop }) => `
select v, count(*) from (
  select unnest(facets) as v from (
    select facets from products where company_id = ${facetShop!.companyId} and archived_at is null and variant_of is null
    order by id desc limit 20000
  ) newest
) kept group by v;`,
  },
  goal: { p99Ms: 30 },
};
