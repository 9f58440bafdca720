import { declareTables } from '../../db/table.ts';

export const commerceCollectionsTables = declareTables('commerce/collections', {
  collections: {
    description: 'A collection of products, listed by staff or selected by rules.',
    alsoWrittenBy: ['commerce/pictures'],
    audit: { collections: { noun: 'collection', about: 'nobody' } },
  },
  collection_products: {
    description: 'A product in a collection.',
  },
});
