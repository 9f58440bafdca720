import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Target, TargetShop } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

const PER_PAGE = 25;

function productList(name: string, title: string, shopOf: (target: Target) => TargetShop): Scenario {
  return {
    name,
    title,
    requests: (target) => {
      const shop = shopOf(target);
      const pages = Math.ceil((shop.lastProduct - shop.firstProduct + 1) / PER_PAGE);
      return () =>
        commerceRequest(target, shop, 'GET', `/products?per_page=${PER_PAGE}&page=${randomBetween(1, pages)}`);
    },
    status: 200,
    limit: {
      title: 'the same page by key, without a total',
      script: (target) => {
        const { companyId, firstProduct, lastProduct } = shopOf(target);
        return `
\\set below random(${firstProduct + PER_PAGE}, ${lastProduct + 1})
select p.id, p.name, p.slug, p.price, p.description, p.subscription_enabled, p.categories, p.images, p.sku, p.tax_class,
  p.archived_at, p.created_at, p.updated_at, s.stock_qty
from (
  select * from products where company_id = ${companyId} and id < :below and archived_at is null
  order by id desc limit ${PER_PAGE}
) p
join product_stock s on s.company_id = ${companyId} and s.product_id = p.id
order by p.id desc;`;
      },
    },
    goal: 0.2,
  };
}

export const productList10k = productList(
  'product-list',
  'any page of 25 of 10,000 products, with total',
  (target) => target.shop,
);
export const productList100k = productList(
  'product-list-100k',
  'any page of 25 of 100,000 products, with total',
  (target) => target.largeShop,
);
