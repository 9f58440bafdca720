import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import deliveries from '../webhooks/Deliveries.module.css';
import { DeveloperTabs } from './Tabs.tsx';

type Refusal = ResponseOf<'/outbox/refusals'>['refusals'][number];

const REFRESH_MS = 10_000;

/** Events of the shop that marketing refused: retried once the cause is removed, or discarded. */
export function RefusedPage() {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const after = (): Promise<void> => client.invalidateQueries({ queryKey: [company.id] });
  /** A worker retries them; what it refuses again is listed again. */
  const tell = (replayed: number, remaining: number): Promise<void> => {
    say(t('refused.replayed', { n: replayed }));
    if (remaining > 0) say(t('refused.remaining', { n: remaining }), true);
    return after();
  };
  const replayAll = useWrite({
    mutationFn: () => ok(api.POST('/outbox/refusals/replay')),
    onSuccess: ({ replayed, remaining }) => tell(replayed, remaining),
    onError: sayError,
  });
  const replay = useWrite({
    mutationFn: (rows: Refusal[]) =>
      Promise.all(
        rows.map(({ refusal_id: id }) => ok(api.POST('/outbox/refusals/replay/{id}', { params: { path: { id } } }))),
      ),
    onSuccess: (results) => tell(results.length, 0),
    onError: sayError,
  });
  const discard = async (rows: Refusal[], unselect: () => void): Promise<void> => {
    const sure = await ask({
      title: t('refused.discard.title', { n: rows.length }),
      text: t('refused.discard.text'),
      action: t('refused.discard'),
    });
    if (!sure) return;
    try {
      await Promise.all(
        rows.map(({ refusal_id: id }) => ok(api.DELETE('/outbox/refusals/{id}', { params: { path: { id } } }))),
      );
      unselect();
      say(t('refused.discarded'));
    } catch (error) {
      sayError(error);
    }
    await after();
  };
  return (
    <List<Refusal>
      name="refusals"
      refreshMs={REFRESH_MS}
      title={t('developers.refused')}
      below={<DeveloperTabs current="developers/refused" />}
      resource="outbox/refusals"
      load={async (query, signal) => {
        const { refusals, pagination } = await ok(api.GET('/outbox/refusals', { params: { query }, signal }));
        return { rows: refusals, total: pagination.total };
      }}
      idOf={(refusal) => refusal.refusal_id}
      columns={[
        {
          key: 'event',
          title: t('refused.event'),
          cell: (refusal) => refusal.event_type,
          csv: (refusal) => refusal.event_type,
        },
        {
          key: 'reason',
          title: t('refused.reason'),
          cell: (refusal) => <span className="break">{refusal.reason}</span>,
          csv: (refusal) => refusal.reason,
        },
        {
          key: 'refused_at',
          title: t('refused.refused'),
          cell: (refusal) => <Moment at={refusal.refused_at} />,
          csv: (refusal) => refusal.refused_at,
        },
        {
          key: 'data',
          title: t('refused.data'),
          full: true,
          cell: (refusal) => (
            <details className={deliveries.details}>
              <summary>#{refusal.refusal_id}</summary>
              <pre>{JSON.stringify(refusal.event_data, null, 2)}</pre>
            </details>
          ),
        },
      ]}
      actions={
        can('marketing:write') ? (
          <Button variant="default" loading={replayAll.isPending} onClick={() => replayAll.mutate()}>
            {t('refused.replay_all')}
          </Button>
        ) : null
      }
      bulk={
        can('marketing:write')
          ? [
              {
                text: t('refused.replay'),
                icon: 'refresh',
                run: (rows, unselect) => replay.mutate(rows, { onSuccess: unselect }),
              },
              { text: t('refused.discard'), icon: 'x', run: (rows, unselect) => void discard(rows, unselect) },
            ]
          : []
      }
      empty={{ icon: 'check', title: t('refused.empty'), text: t('refused.empty.text') }}
    />
  );
}
