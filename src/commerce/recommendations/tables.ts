import { declareTables } from '../../db/table.ts';

export const commerceRecommendationsTables = declareTables('commerce/recommendations', {
  recommendation_passes: {
    description: "The progress of computing a company's recommendations.",
    export: { omitted: 'Progress of a background job.' },
  },
  product_sales: {
    description: 'Sales of a product.',
    export: { omitted: 'Derived: counted from the orders.' },
  },
  best_sellers: {
    description: 'The best-selling products of a category.',
    export: { omitted: 'Derived: counted from the orders.' },
  },
  products_together: {
    description: 'The products most often ordered together with a product.',
    export: { omitted: 'Derived: counted from the orders.' },
  },
});
