import { declareTables } from '../../db/table.ts';

export const commerceShippingTables = declareTables('commerce/shipping', {
  shipping_zones: {
    description: 'A shipping zone.',
    audit: { 'shipping-zones': { noun: 'shipping_zone', about: 'nobody' } },
    alsoWrittenBy: ['access'],
  },
  shipping_methods: {
    description: 'A shipping method of a zone.',
    audit: { 'shipping-methods': { noun: 'shipping_method', about: 'nobody' } },
    alsoWrittenBy: ['access'],
  },
});
