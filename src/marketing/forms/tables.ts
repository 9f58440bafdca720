import { declareTables } from '../../db/table.ts';

export const marketingFormsTables = declareTables('marketing/forms', {
  forms: {
    description: 'A signup form.',
    staffTexts: { columns: { name: 'text' } },
    audit: { forms: { noun: 'form', about: 'nobody', mayName: true } },
  },
  form_submissions: {
    description: 'A submission of a form: the evidence of consent.',
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  form_rates: {
    description: 'Submissions of a form by one client within a time window.',
    export: { omitted: 'Counts of an hour.' },
  },
  form_days: {
    description: 'Submissions and confirmations of a form by day (UTC).',
  },
});
