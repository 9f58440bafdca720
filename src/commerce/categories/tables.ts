import { declareTables } from '../../db/table.ts';

export const commerceCategoriesTables = declareTables('commerce/categories', {
  categories: {
    description: 'A category of products.',
    audit: { categories: { noun: 'category', about: 'nobody' } },
  },
});
