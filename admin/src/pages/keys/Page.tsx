import { Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EVERYTHING, SCOPES } from '../../../../src/access/scopes.ts';
import { ok } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SecretDialog } from '../../ui/Secret.tsx';
import { Status } from '../../ui/Status.tsx';
import { DeveloperTabs } from '../developers/Tabs.tsx';

type Key = paths['/keys']['get']['responses'][200]['content']['application/json']['keys'][number];
type NewKey = paths['/keys']['post']['requestBody']['content']['application/json'];

/** In the order of the form. */
const CHOICES: NewKey['scopes'] = [...SCOPES, EVERYTHING];

/** The API keys of a company: shown once when created, replaced with an overlap, revoked. */
export function Page() {
  const { api, company, can } = useShop();
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<{ name: string; key: string } | null>(null);
  const keys = useQuery({
    queryKey: [company.id, 'keys'],
    queryFn: async ({ signal }) => (await ok(api.GET('/keys', { signal }))).keys,
  });
  return (
    <>
      <PageHeader title={t('nav.keys')}>
        <Button component="a" href="/docs" target="_blank" variant="default">
          {t('keys.reference')}
        </Button>
        {can('keys:write') ? <Button onClick={() => setCreating(true)}>{t('keys.create')}</Button> : null}
      </PageHeader>
      <DeveloperTabs current="keys" />
      <Loaded query={keys}>{(rows) => <Keys keys={rows} onNew={setShown} />}</Loaded>
      {creating ? (
        <FormDialog<NewKey>
          title={t('keys.create')}
          fields={[
            { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('keys.name.help') },
            {
              name: 'scopes',
              label: t('keys.scopes'),
              type: 'choices',
              choices: CHOICES.map((value) => ({ value, label: value === EVERYTHING ? t('keys.everything') : value })),
            },
            { name: 'requests_per_hour', label: t('keys.limit'), type: 'number', help: t('keys.limit.help') },
            { name: 'expires_at', label: t('keys.expires'), type: 'moment' },
          ]}
          initial={{ requests_per_hour: '1000' }}
          submit={t('action.create')}
          save={async (body) => setShown(await ok(api.POST('/keys', { body: { ...body, scopes: body.scopes ?? [] } })))}
          onClose={() => setCreating(false)}
        />
      ) : null}
      {shown === null ? null : (
        <SecretDialog
          title={t('keys.created', { name: shown.name })}
          text={t('keys.created.text')}
          secret={shown.key}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

function Keys({ keys, onNew }: { keys: Key[]; onNew: (key: { name: string; key: string }) => void }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const after = () => client.invalidateQueries({ queryKey: [company.id, 'keys'] });
  const rotate = useWrite({
    mutationFn: (id: number) => ok(api.POST('/keys/rotate/{id}', { params: { path: { id } } })),
    onSuccess: (fresh) => {
      onNew(fresh);
      return after();
    },
    onError: sayError,
  });
  const revoke = useWrite({
    mutationFn: (id: number) => ok(api.DELETE('/keys/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      say(t('keys.revoked'));
      return after();
    },
    onError: sayError,
  });
  const askRevoke = async ({ id, name }: Key): Promise<void> => {
    const sure = await ask({
      title: t('keys.revoke.title', { name }),
      text: t('keys.revoke.text'),
      action: t('keys.revoke'),
    });
    if (sure) revoke.mutate(id);
  };
  const actions = (key: Key) =>
    key.status !== 'active' || !can('keys:write') ? null : (
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" aria-label={t('keys.actions', { name: key.name })}>
            <Icon name="dots" size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => rotate.mutate(key.id)}>{t('keys.rotate')}</Menu.Item>
          <Menu.Item color="red" onClick={() => void askRevoke(key)}>
            {t('keys.revoke')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    );
  return (
    <Section title={t('nav.keys')} flush>
      <SmallTable
        caption={t('nav.keys')}
        rows={keys.toReversed()}
        keyOf={(key) => key.id}
        empty={t('keys.empty')}
        columns={[
          {
            title: t('field.name'),
            cell: (key) => (
              <>
                {key.name}
                <br />
                <code className="dim">{key.display}…</code>
              </>
            ),
          },
          {
            title: t('keys.scopes'),
            wide: true,
            cell: (key) => (key.scopes.includes('*') ? t('keys.everything') : key.scopes.join(', ')),
          },
          {
            title: t('keys.limit'),
            right: true,
            wide: true,
            cell: (key) =>
              key.requests_per_hour === 0 ? tOf('keys.limit', 'none') : format.number(key.requests_per_hour),
          },
          { title: t('field.status'), cell: (key) => <Status value={key.status} /> },
          { title: t('keys.last_used'), wide: true, cell: (key) => <Moment at={key.last_used_at} /> },
          { title: t('field.actions'), right: true, cell: actions },
        ]}
      />
    </Section>
  );
}
