import { useQuery } from '@tanstack/react-query';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import css from './RequestsPage.module.css';
import { DeveloperTabs } from './Tabs.tsx';

type Request = ResponseOf<'/requests'>['requests'][number];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const STATUSES = ['2xx', '4xx', '5xx'] as const;
const REFRESH_MS = 10_000;

/** The latest requests of the API keys, and the reasons of failures. */
export function RequestsPage() {
  const { api, company } = useShop();
  const format = useFormat();
  const keys = useQuery({
    queryKey: [company.id, 'keys'],
    queryFn: async ({ signal }) => (await ok(api.GET('/keys', { signal }))).keys,
  });
  return (
    <List<Request>
      name="requests"
      title={t('developers.requests')}
      below={<DeveloperTabs current="developers/requests" />}
      refreshMs={REFRESH_MS}
      resource="requests"
      load={async (query, signal) => {
        const { requests, pagination } = await ok(api.GET('/requests', { params: { query }, signal }));
        return { rows: requests, total: pagination.total };
      }}
      idOf={(request) => request.id}
      columns={[
        {
          key: 'request',
          title: t('requests.request'),
          cell: (request) => (
            <span className={css.request}>
              <b>{request.method}</b> <code className="break">{request.path}</code>
            </span>
          ),
          csv: (request) => `${request.method} ${request.path}`,
        },
        {
          key: 'status',
          title: t('field.status'),
          cell: (request) => (
            <span className={css.status} data-hundreds={Math.floor(request.status / 100)}>
              {request.status}
            </span>
          ),
          csv: (request) => request.status,
        },
        {
          key: 'error',
          title: t('requests.error'),
          cell: (request) => <Reason request={request} />,
          csv: (request) => request.error,
        },
        {
          key: 'duration_ms',
          title: t('requests.duration'),
          align: 'right',
          wide: true,
          cell: (request) => t('requests.ms', { n: format.number(request.duration_ms) }),
          csv: (request) => request.duration_ms,
        },
        {
          key: 'key',
          title: t('requests.key'),
          wide: true,
          cell: (request) => keyName(request),
          csv: (request) => keyName(request),
        },
        {
          key: 'at',
          title: t('field.when'),
          cell: (request) => <Moment at={request.at} />,
          csv: (request) => request.at,
        },
        {
          key: 'request_id',
          title: 'X-Request-Id',
          optional: true,
          cell: (request) => <code className="break">{request.request_id}</code>,
          csv: (request) => request.request_id,
        },
        {
          key: 'left_out',
          title: t('requests.left_out'),
          optional: true,
          align: 'right',
          cell: (request) => format.number(request.left_out),
          csv: (request) => request.left_out,
        },
      ]}
      search={{ key: 'path', placeholder: t('requests.path') }}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: STATUSES.map((value) => ({ value, label: t(`requests.status.${value}`) })),
        },
        {
          key: 'method',
          title: t('requests.method'),
          type: 'choice',
          choices: METHODS.map((value) => ({ value, label: value })),
        },
        {
          key: 'key_id',
          title: t('requests.key'),
          type: 'choice',
          choices: (keys.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        },
        { key: 'error', title: t('requests.error'), type: 'text' },
        { key: 'request_id', title: 'X-Request-Id', type: 'text' },
      ]}
      empty={{ icon: 'inbox', title: t('requests.empty'), text: t('requests.empty.text') }}
    />
  );
}

function keyName({ key_id, key_name }: Request): string {
  return key_id === null ? t('requests.webhook') : (key_name ?? `#${key_id}`);
}

function Reason({ request: { error, fields } }: { request: Request }) {
  if (error === null) return null;
  return (
    <span className="break">
      <span title={error}>{tOf('requests.error', error)}</span>
      {fields === null ? null : <span className="dim"> {fields}</span>}
    </span>
  );
}
