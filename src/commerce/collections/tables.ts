import { declareTables } from '../../db/table.ts';

export const commerceCollectionsTables = declareTables('commerce/collections', {
  collections: {
    description: 'A collection of products, listed by staff or selected by rules.',
    audit: { collections: { noun: 'collection', about: 'nobody' } },
    alsoWrittenBy: ['commerce/custom-fields', 'commerce/pictures'],
  },
  collection_products: {
    description: 'A product in a collection.',
  },
});
