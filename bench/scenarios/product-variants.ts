import { commerceRequest, randomBetween } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

/** What the response shows. */
const COLUMNS = `p.id, p.revision, p.name, p.slug, p.price, p.compare_at_price, p.cost, p.price_max, p.subscription_enabled, p.categories, p.images,
  p.sku, p.tax_class, p.barcode, p.weight_g, p.requires_shipping, p.track_stock, p.low_stock_at, p.draft, p.archived_at, p.variant_of,
  p.variant_count, p.title, p.position, p.options, p.custom, p.created_at, p.updated_at, s.stock_qty`;

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
