import { declareTables } from '../../db/table.ts';

export const marketingWebhookTables = declareTables('marketing/webhook', {
  webhook_senders: {
    description: 'When a company last received a webhook whose signature has no timestamp.',
    export: { omitted: 'Protects against replays.' },
  },
});
