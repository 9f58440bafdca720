import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

export const productById: Scenario = {
  name: 'product-by-id',
  title: 'product by id, any of 10,000',
  requests: (target) => {
    const { shop } = target;
    return () =>
      commerceRequest(target, shop, 'GET', `/products/${randomBetween(shop.firstProduct, shop.lastProduct)}`);
  },
  status: 200,
  limit: {
    title: 'prepared read of one product row by key',
    script: ({ shop }) => `
\\set id random(${shop.firstProduct}, ${shop.lastProduct})
select id, name, slug, price, description, subscription_enabled, categories, images, sku, tax_class, archived_at,
  created_at, updated_at
from products where company_id = ${shop.companyId} and id = :id;`,
  },
  goal: 0.35,
};
