import '../templates/texts.ts';
import { Button } from '@mantine/core';
import { CAMPAIGN_STATUSES } from '../../../../src/marketing/campaigns/status.ts';
import { ok } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy } from '../../ui/list/sorting.tsx';
import { say } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import { FEWEST, MOST } from './compare/metrics.ts';
import type { Campaign } from './queries.ts';

/** The share of sent messages that were opened. */
export function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function ListPage() {
  const { api, can } = useShop();
  const go = useGo();
  const format = useFormat();
  const opened = ({ counts }: Campaign): string =>
    counts.sent === 0 ? '–' : format.percent(rate(counts.opened, counts.sent));
  return (
    <List<Campaign>
      name="campaigns"
      live="campaigns"
      title={t('nav.campaigns')}
      resource="campaigns"
      load={async (query, signal) => {
        const { campaigns, pagination } = await ok(api.GET('/campaigns', { params: { query }, signal }));
        return { rows: campaigns, total: pagination.total };
      }}
      idOf={(campaign) => campaign.campaign_id}
      path={(campaign) => `campaigns/${campaign.campaign_id}`}
      columns={[
        {
          key: 'name',
          title: t('field.name'),
          sort: sortBy('name'),
          cell: (campaign) => campaign.name,
          csv: (campaign) => campaign.name,
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: (campaign) => <Status value={campaign.status} />,
          csv: (campaign) => campaign.status,
        },
        {
          key: 'type',
          title: t('template.channel'),
          wide: true,
          cell: (campaign) => tOf('channel', campaign.type),
          csv: (campaign) => campaign.type,
        },
        {
          key: 'sent',
          title: t('campaign.sent'),
          align: 'right',
          cell: (campaign) => format.number(campaign.counts.sent),
          csv: (campaign) => campaign.counts.sent,
        },
        { key: 'opened', title: t('campaign.opened'), align: 'right', cell: opened, csv: opened },
        {
          key: 'revenue',
          title: t('campaign.revenue'),
          align: 'right',
          wide: true,
          cell: (campaign) => format.money(campaign.counts.revenue),
          csv: (campaign) => campaign.counts.revenue,
        },
        {
          key: 'net',
          title: t('campaign.net'),
          align: 'right',
          wide: true,
          cell: (campaign) => format.money(campaign.counts.net),
          csv: (campaign) => campaign.counts.net,
        },
        {
          key: 'started_at',
          title: t('campaign.started_at'),
          wide: true,
          cell: (campaign) => <Moment at={campaign.started_at} />,
          csv: (campaign) => campaign.started_at,
        },
        {
          key: 'scheduled_at',
          title: t('campaign.scheduled_at'),
          wide: true,
          sort: sortBy('scheduled'),
          cell: (campaign) => <Moment at={campaign.scheduled_at} />,
          csv: (campaign) => campaign.scheduled_at,
        },
      ]}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: CAMPAIGN_STATUSES.map((value) => ({ value, label: tOf('status', value) })),
        },
      ]}
      actions={
        <Button component={Anchor} path="campaigns/calendar" variant="default">
          {t('campaign.calendar.open')}
        </Button>
      }
      bulk={[
        {
          text: t('campaign.compare'),
          icon: 'list-details',
          run: (campaigns) => {
            if (campaigns.length < FEWEST || campaigns.length > MOST) return say(t('campaign.compare.count'), true);
            go(`campaigns/compare?ids=${campaigns.map((one) => one.campaign_id).join('-')}`);
          },
        },
      ]}
      {...(can('marketing:write') ? { create: { path: 'campaigns/new', text: t('campaign.new') } } : {})}
      empty={{ icon: 'send', title: t('campaigns.empty'), text: t('campaigns.empty.text') }}
    />
  );
}
