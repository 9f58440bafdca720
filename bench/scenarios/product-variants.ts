import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

const COLUMNS = `p.id, p.name, p.slug, p.price, p.subscription_enabled, p.categories, p.images, p.sku, p.barcode, p.tax_class, p.options, p.title,
  p.position, p.archived_at, p.created_at, p.updated_at, s.stock_qty`;

export const productVariants: Scenario = {
  name: 'product-variants',
  title: 'product with 100 variants by id, any of 100',
  needs: 'variants',
  requests: (target) => {
    const shop = target.variantShop!;
    return () =>
      commerceRequest(target, shop, 'GET', `/products/${randomBetween(shop.firstProduct, shop.lastProduct)}`);
  },
  status: 200,
  limit: {
    title: 'prepared reads of its row and those of its variants, with their stock',
    script: ({ variantShop }) => {
      const { companyId, firstProduct, lastProduct } = variantShop!;
      const from = `from products p join product_stock s on s.company_id = ${companyId} and s.product_id = p.id where p.company_id = ${companyId}`;
      return `
\\set id random(${firstProduct}, ${lastProduct})
select p.description, ${COLUMNS} ${from} and p.id = :id;
select ${COLUMNS} ${from} and p.variant_of = :id order by p.position, p.id limit 100;`;
    },
  },
  goal: 0.35,
};
