import { declareTables } from '../../db/table.ts';

export const marketingCampaignsTables = declareTables('marketing/campaigns', {
  campaigns: {
    description: 'A campaign.',
    staffTexts: { columns: { name: 'text' } },
    audit: { campaigns: { noun: 'campaign', about: 'nobody', mayName: true } },
    alsoWrittenBy: ['messaging/deliverability', 'messaging/ledger', 'messaging/messages'],
  },
  campaign_audiences: {
    description: 'Recipients of a campaign for which no messages are written yet, many per row.',
    references: { contact_ids: 'erasure' },
  },
  campaign_hold_outs: {
    description: 'A contact held out of a campaign.',
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
});
