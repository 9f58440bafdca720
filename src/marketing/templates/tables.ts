import { declareTables } from '../../db/table.ts';

export const marketingTemplatesTables = declareTables('marketing/templates', {
  templates: {
    description: 'A template for messages.',
    staffTexts: { columns: { name: 'text' } },
    audit: { templates: { noun: 'template', about: 'nobody', mayName: true } },
  },
});
