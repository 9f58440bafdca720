import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './Deliveries.module.css';

type Delivery = Model<'Delivery'>;
const STATUSES: readonly Delivery['status'][] = ['pending', 'delivered', 'failed'];

/** Deliveries to an endpoint and its responses; failed ones can be sent again one by one or together. */
export function Deliveries({ id }: { id: number }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const replay = useWrite({
    mutationFn: (ids: number[] | null) =>
      ok(
        api.POST('/webhook-endpoints/replay/{id}', {
          params: { path: { id } },
          ...(ids === null ? {} : { body: { delivery_ids: ids } }),
        }),
      ),
    onSuccess: ({ replayed }) => {
      say(t('webhooks.replayed', { n: replayed }));
      return client.invalidateQueries({ queryKey: [company.id] });
    },
    onError: sayError,
  });
  return (
    <>
      <div className={css.head}>
        <h2>{t('webhooks.deliveries')}</h2>
        {can('marketing:write') ? (
          <Button size="xs" variant="default" loading={replay.isPending} onClick={() => replay.mutate(null)}>
            {t('webhooks.replay_failed')}
          </Button>
        ) : null}
      </div>
      <List<Delivery>
        embedded
        name={`webhook-endpoint-${id}-deliveries`}
        title={t('webhooks.deliveries')}
        resource={`webhook-endpoints/${id}/deliveries`}
        load={async (query, signal) => {
          const params = { path: { id }, query };
          const { deliveries, pagination } = await ok(
            api.GET('/webhook-endpoints/{id}/deliveries', { params, signal }),
          );
          return { rows: deliveries, total: pagination.total };
        }}
        idOf={(delivery) => delivery.delivery_id}
        columns={[
          {
            key: 'event',
            title: t('field.what'),
            cell: (delivery) => (
              <>
                {delivery.event_type} <span className="dim">{delivery.entity}</span>
              </>
            ),
            csv: (delivery) => delivery.event_type,
          },
          {
            key: 'status',
            title: t('field.status'),
            cell: (delivery) => <Status value={delivery.status} />,
            csv: (delivery) => delivery.status,
          },
          {
            key: 'created_at',
            title: t('field.when'),
            cell: (delivery) => <Moment at={delivery.created_at} />,
            csv: (delivery) => delivery.created_at,
          },
          {
            key: 'details',
            title: t('webhooks.details'),
            full: true,
            cell: (delivery) => <Details delivery={delivery} />,
          },
        ]}
        filters={[
          {
            key: 'status',
            title: t('field.status'),
            type: 'choice',
            choices: STATUSES.map((value) => ({ value, label: tOf('status', value) })),
          },
        ]}
        bulk={
          can('marketing:write')
            ? [
                {
                  text: t('webhooks.replay'),
                  icon: 'refresh',
                  run: (rows, unselect) =>
                    replay.mutate(
                      rows.map(({ delivery_id }) => delivery_id),
                      { onSuccess: unselect },
                    ),
                },
              ]
            : []
        }
        empty={{ icon: 'inbox', title: t('webhooks.no_deliveries'), text: t('webhooks.no_deliveries.text') }}
      />
    </>
  );
}

function Details({ delivery }: { delivery: Delivery }) {
  const { response_status, error, attempts } = delivery;
  const outcome = response_status === null ? (error ?? '–') : `HTTP ${response_status}`;
  return (
    <details className={css.details}>
      <summary>
        {outcome} <span className="dim">{t('webhooks.attempts', { n: attempts })}</span>
      </summary>
      <pre>{delivery.body}</pre>
      {delivery.response_body === null ? null : <pre>{delivery.response_body}</pre>}
    </details>
  );
}
