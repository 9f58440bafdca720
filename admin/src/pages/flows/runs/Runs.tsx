import { NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Section, SmallTable } from '../../../ui/DetailPage.tsx';
import { Moment } from '../../../ui/format.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Status } from '../../../ui/Status.tsx';
import { Reason } from '../../../ui/words/Reason.tsx';
import type { Flow } from '../queries.ts';
import { stepName } from '../step-name.ts';
import { RetryButton, RunContact } from './RunParts.tsx';

const PER_PAGE = 10;
const STATUSES = ['active', 'completed', 'exited', 'failed'] as const;
type RunStatus = (typeof STATUSES)[number];

/** Who went through the flow, and how far they got. */
export function Runs({ flow }: { flow: Flow }) {
  const { api, company } = useShop();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<RunStatus | ''>('');
  const { flow_id: id } = flow;
  const query = useQuery({
    queryKey: [company.id, 'flows', id, 'runs', status, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { page, per_page: PER_PAGE, ...(status === '' ? {} : { status }) };
      return ok(api.GET('/flows/{id}/runs', { params: { path: { id }, query }, signal }));
    },
  });
  const { data } = query;
  return (
    <Section
      title={t('flow.runs')}
      flush
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={t('field.status')}
            value={status}
            data={[
              { value: '', label: t('list.any', { title: t('field.status') }) },
              ...STATUSES.map((value) => ({ value, label: tOf('status', value) })),
            ]}
            onChange={({ currentTarget }) => {
              setStatus(currentTarget.value as RunStatus | '');
              setPage(1);
            }}
          />
          <Pager page={page} perPage={PER_PAGE} total={data?.pagination.total ?? 0} onChange={setPage} />
        </>
      }
    >
      <SmallTable
        caption={t('flow.runs')}
        query={query}
        rows={data?.runs}
        keyOf={(run) => run.run_id}
        empty={t('flow.no_runs')}
        columns={[
          {
            title: t('flow.run'),
            cell: (run) => <Anchor path={`flows/${id}/runs/${run.run_id}`}>#{run.run_id}</Anchor>,
          },
          {
            title: t('field.contact'),
            cell: (run) => <RunContact run={run} />,
          },
          {
            title: t('field.status'),
            cell: (run) => (
              <>
                <Status value={run.status} />
                {run.reason === null ? null : (
                  <span className="dim break">
                    {' '}
                    <Reason value={run.reason} />
                  </span>
                )}
              </>
            ),
          },
          {
            title: t('flow.at_step'),
            wide: true,
            cell: (run) => (run.step_id === null ? '–' : stepName(flow, run.step_id)),
          },
          { title: t('flow.since'), wide: true, cell: (run) => <Moment at={run.entered_at} /> },
          {
            title: t('field.actions'),
            cell: (run) => <RetryButton run={run} size="compact-xs" />,
          },
        ]}
      />
    </Section>
  );
}
