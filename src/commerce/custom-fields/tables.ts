import { declareTables } from '../../db/table.ts';

export const commerceCustomFieldsTables = declareTables('commerce/custom-fields', {
  custom_fields: {
    description:
      'The definition of a field that a shop added to its products, variants, collections, customers or orders.',
    audit: { 'custom-fields': { noun: 'custom_field', about: 'nobody' } },
  },
});
