import { declareTables } from '../../db/table.ts';

export const commerceTaxesTables = declareTables('commerce/taxes', {
  tax_rules: {
    description: 'A tax rule.',
    audit: { 'tax-rules': { noun: 'tax_rule', about: 'nobody' } },
  },
});
