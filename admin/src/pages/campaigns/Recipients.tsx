import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Status } from '../../ui/Status.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import type { Campaign } from './queries.ts';

const PER_PAGE = 10;
/** Polling interval where the live stream is missing. */
const REFRESH_MS = 15_000;
const STATES = ['queued', 'sent', 'opened', 'clicked', 'bounced', 'failed', 'skipped', 'unknown'] as const;
type State = (typeof STATES)[number];

/** The name of a message's state or result. */
function nameOf(state: State): string {
  return state === 'opened' || state === 'clicked' || state === 'bounced'
    ? t(`campaign.${state}`)
    : tOf('status', state);
}

/** A campaign's recipients, and the state of each message. */
export function Recipients({ campaign }: { campaign: Campaign }) {
  const { api, company } = useShop();
  const [page, setPage] = useState(1);
  const [state, setState] = useState<State | ''>('');
  const { campaign_id: id } = campaign;
  const query = useQuery({
    queryKey: [company.id, 'campaigns', id, 'recipients', campaign.status, state, page],
    meta: { live: ['campaigns'], everyMs: 3_000 },
    refetchInterval: campaign.status === 'sending' ? REFRESH_MS : false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { page, per_page: PER_PAGE, ...(state === '' ? {} : { state }) };
      return ok(api.GET('/campaigns/{id}/recipients', { params: { path: { id }, query }, signal }));
    },
  });
  const { data } = query;
  return (
    <Section
      title={t('campaign.recipients')}
      flush
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={t('field.status')}
            value={state}
            data={[
              { value: '', label: t('list.any', { title: t('field.status') }) },
              ...STATES.map((value) => ({ value, label: nameOf(value) })),
            ]}
            onChange={({ currentTarget }) => {
              setState(currentTarget.value as State | '');
              setPage(1);
            }}
          />
          <Button
            component="a"
            variant="default"
            size="xs"
            leftSection={<Icon name="download" size={15} />}
            href={`/admin/api/${company.id}/campaigns/${id}/recipients/export${state === '' ? '' : `?state=${state}`}`}
            download
          >
            {t('campaign.recipients.csv')}
          </Button>
          <Pager page={page} perPage={PER_PAGE} total={data?.pagination.total ?? 0} onChange={setPage} />
        </>
      }
    >
      <SmallTable
        caption={t('campaign.recipients')}
        query={query}
        rows={data?.recipients}
        keyOf={(one) => one.message_id}
        empty={t('list.none.title')}
        columns={[
          {
            title: t('field.contact'),
            cell: (one) =>
              one.contact_id === null ? (
                (one.recipient ?? '–')
              ) : (
                <Anchor path={`contacts/${one.contact_id}`}>{one.recipient ?? `#${one.contact_id}`}</Anchor>
              ),
          },
          {
            title: t('field.status'),
            cell: (one) => (
              <>
                <Status value={one.status} />
                {one.reason === null ? null : (
                  <span className="dim">
                    {' '}
                    <Reason value={one.reason} />
                  </span>
                )}
              </>
            ),
          },
          { title: t('campaign.sent_at'), wide: true, cell: (one) => <Moment at={one.sent_at} /> },
        ]}
      />
    </Section>
  );
}
