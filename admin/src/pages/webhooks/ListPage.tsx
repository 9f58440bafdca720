import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { SecretDialog } from '../../ui/Secret.tsx';
import { Status } from '../../ui/Status.tsx';
import { DeveloperTabs } from '../developers/Tabs.tsx';
import { endpointFields } from './fields.ts';

type Endpoint = Model<'WebhookEndpoint'>;

/** The webhook endpoints to which the shop's events are sent. */
export function ListPage() {
  const { api, can } = useShop();
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <List<Endpoint>
        name="webhook-endpoints"
        title={t('nav.webhooks')}
        below={<DeveloperTabs current="webhooks" />}
        resource="webhook-endpoints"
        load={async (query, signal) => {
          const { webhook_endpoints, pagination } = await ok(
            api.GET('/webhook-endpoints', { params: { query }, signal }),
          );
          return { rows: webhook_endpoints, total: pagination.total };
        }}
        idOf={(endpoint) => endpoint.endpoint_id}
        path={(endpoint) => `webhooks/${endpoint.endpoint_id}`}
        columns={[
          { key: 'url', title: t('webhooks.url'), cell: (endpoint) => endpoint.url, csv: (endpoint) => endpoint.url },
          {
            key: 'status',
            title: t('field.status'),
            cell: (endpoint) => (
              <Status value={endpoint.active ? (endpoint.failing_since === null ? 'active' : 'failing') : 'inactive'} />
            ),
            csv: (endpoint) => endpoint.active,
          },
          {
            key: 'event_types',
            title: t('webhooks.types'),
            wide: true,
            cell: (endpoint) =>
              endpoint.event_types.length === 0 ? t('webhooks.all_types') : endpoint.event_types.join(', '),
            csv: (endpoint) => endpoint.event_types.join(' '),
          },
          {
            key: 'created_at',
            title: t('field.created'),
            wide: true,
            cell: (endpoint) => <Moment at={endpoint.created_at} />,
            csv: (endpoint) => endpoint.created_at,
          },
        ]}
        actions={
          can('marketing:write') ? <Button onClick={() => setCreating(true)}>{t('webhooks.create')}</Button> : null
        }
        empty={{ icon: 'webhook', title: t('webhooks.empty'), text: t('webhooks.empty.text') }}
      />
      {creating ? (
        <FormDialog
          title={t('webhooks.create')}
          fields={endpointFields()}
          submit={t('action.create')}
          save={async (body) =>
            setSecret((await ok(api.POST('/webhook-endpoints', { body: body as { url: string } }))).secret)
          }
          onClose={() => setCreating(false)}
        />
      ) : null}
      {secret === null ? null : (
        <SecretDialog
          title={t('webhooks.secret')}
          text={t('webhooks.secret.text')}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}
