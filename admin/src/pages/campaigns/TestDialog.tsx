import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { TestDialog as Dialog } from '../templates/TestDialog.tsx';
import type { Campaign } from './queries.ts';

/** Sends a campaign, as it is stored, to addresses of the person's own. */
export function TestDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const { api } = useShop();
  const params = { path: { id: campaign.campaign_id } };
  return (
    <Dialog
      channel={campaign.type}
      variants={campaign.variants.map(({ key }) => key)}
      send={(body) => ok(api.POST('/campaigns/test/{id}', { params, body }))}
      onClose={onClose}
    />
  );
}
