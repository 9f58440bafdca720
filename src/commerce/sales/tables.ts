import { declareTables } from '../../db/table.ts';

export const commerceSalesTables = declareTables('commerce/sales', {
  sales_totals: {
    description: 'Sales by quarter of an hour.',
    export: 'totals',
  },
  sales_deltas: {
    description: 'Changes of sales_totals that are not folded yet.',
    export: 'totals',
  },
});
