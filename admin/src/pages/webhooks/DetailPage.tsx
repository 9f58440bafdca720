import { Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { Deliveries } from './Deliveries.tsx';
import { endpointFields } from './fields.ts';

type Endpoint = Model<'WebhookEndpoint'>;

export function DetailPage() {
  const id = useId();
  const { api, company } = useShop();
  const endpoint = useQuery({
    queryKey: [company.id, 'webhook-endpoints', id],
    queryFn: ({ signal }) => ok(api.GET('/webhook-endpoints/{id}', { params: { path: { id } }, signal })),
  });
  return <Loaded query={endpoint}>{(one) => <EndpointPage endpoint={one} />}</Loaded>;
}

function EndpointPage({ endpoint }: { endpoint: Endpoint }) {
  const { can } = useShop();
  const { active, failing_since, event_types } = endpoint;
  return (
    <>
      <PageHeader
        title={endpoint.url}
        back={{ path: 'webhooks', text: t('nav.webhooks') }}
        badge={<Status value={active ? (failing_since === null ? 'active' : 'failing') : 'inactive'} />}
      >
        {can('marketing:write') ? <Actions endpoint={endpoint} /> : null}
      </PageHeader>
      <div className="stack">
        <Section title={t('section.details')}>
          <Facts
            facts={[
              [t('webhooks.types'), event_types.length === 0 ? t('webhooks.all_types') : event_types.join(', ')],
              [t('field.description'), endpoint.description],
              [t('webhooks.disabled'), endpoint.disabled_reason],
              failing_since === null ? null : [t('webhooks.failing'), <Moment key="failing" at={failing_since} />],
              [t('field.created'), <Moment key="created" at={endpoint.created_at} />],
            ]}
          />
        </Section>
        <Deliveries id={endpoint.endpoint_id} />
      </div>
    </>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const [editing, setEditing] = useState(false);
  const { endpoint_id: id, active } = endpoint;
  const path = { params: { path: { id } } };
  const after = () => client.invalidateQueries({ queryKey: [company.id, 'webhook-endpoints'] });
  const ping = useWrite({
    mutationFn: () => ok(api.POST('/webhook-endpoints/test/{id}', path)),
    onSuccess: () => {
      say(t('webhooks.pinged'));
      return after();
    },
    onError: sayError,
  });
  const toggle = useWrite({
    mutationFn: () => ok(api.PATCH('/webhook-endpoints/{id}', { ...path, body: { active: !active } })),
    onSuccess: after,
    onError: sayError,
  });
  const remove = async (): Promise<void> => {
    const sure = await ask({
      title: t('delete.title', { name: endpoint.url }),
      text: t('webhooks.delete.text'),
      action: t('action.delete'),
    });
    if (!sure) return;
    try {
      await ok(api.DELETE('/webhook-endpoints/{id}', path));
      go('webhooks', { replace: true });
      await after();
      say(t('form.deleted'));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <Button variant="default" loading={ping.isPending} onClick={() => ping.mutate()}>
        {t('webhooks.ping')}
      </Button>
      <Button variant="default" onClick={() => setEditing(true)}>
        {t('action.edit')}
      </Button>
      <MoreMenu>
        <Menu.Item onClick={() => toggle.mutate()}>{active ? t('webhooks.off') : t('webhooks.on')}</Menu.Item>
        <Menu.Item color="red" onClick={() => void remove()}>
          {t('action.delete')}
        </Menu.Item>
      </MoreMenu>
      {editing ? (
        <FormDialog
          title={t('action.edit')}
          fields={endpointFields()}
          initial={{
            url: endpoint.url,
            event_types: endpoint.event_types.join('\n'),
            description: endpoint.description,
          }}
          submit={t('action.save')}
          done={t('form.saved')}
          save={(body) =>
            ok(api.PATCH('/webhook-endpoints/{id}', { ...path, body: { event_types: [], description: '', ...body } }))
          }
          onClose={() => setEditing(false)}
        />
      ) : null}
    </>
  );
}
