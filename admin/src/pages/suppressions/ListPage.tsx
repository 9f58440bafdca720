import { Button } from '@mantine/core';
import { useState } from 'react';
import { type BodyOf, ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { say } from '../../ui/messages.tsx';

type Suppression = ResponseOf<'/suppressions'>['suppressions'][number];

const CHANNELS = ['email', 'sms'] as const;
const CAUSES = ['unsubscribe', 'bounce', 'complaint', 'manual'] as const;
/** Letters of a hash that are shown; enough to distinguish the rows of a file. */
const SHOWN = 12;

/** Suppressed addresses, stored as hashes: one is found, and lifted, by typing it. */
export function ListPage() {
  const { api, can } = useShop();
  const [doing, setDoing] = useState<'add' | 'lift' | null>(null);
  return (
    <>
      <List<Suppression>
        name="suppressions"
        title={t('nav.suppressions')}
        resource="suppressions"
        load={async (query, signal) => {
          const { suppressions, pagination } = await ok(api.GET('/suppressions', { params: { query }, signal }));
          return { rows: suppressions, total: pagination.total };
        }}
        idOf={({ hash }) => Number.parseInt(hash.slice(0, SHOWN), 16)}
        search={{ key: 'address', placeholder: t('suppressions.search') }}
        columns={[
          {
            key: 'hash',
            title: t('suppressions.hash'),
            cell: ({ hash }) => <code title={hash}>{hash.slice(0, SHOWN)}…</code>,
            csv: ({ hash }) => hash,
          },
          {
            key: 'channel',
            title: t('template.channel'),
            cell: ({ channel }) => tOf('channel', channel),
            csv: ({ channel }) => channel,
          },
          {
            key: 'cause',
            title: t('suppressions.cause'),
            cell: ({ cause }) => tOf('suppressions.cause', cause),
            csv: ({ cause }) => cause,
          },
          {
            key: 'created_at',
            title: t('field.created'),
            cell: ({ created_at }) => <Moment at={created_at} />,
            csv: ({ created_at }) => created_at,
          },
        ]}
        filters={[
          {
            key: 'channel',
            title: t('template.channel'),
            type: 'choice',
            choices: CHANNELS.map((value) => ({ value, label: tOf('channel', value) })),
          },
          {
            key: 'cause',
            title: t('suppressions.cause'),
            type: 'choice',
            choices: CAUSES.map((value) => ({ value, label: tOf('suppressions.cause', value) })),
          },
        ]}
        actions={
          can('marketing:write') ? (
            <>
              <Button variant="default" onClick={() => setDoing('lift')}>
                {t('suppressions.lift')}
              </Button>
              <Button onClick={() => setDoing('add')}>{t('suppressions.add')}</Button>
            </>
          ) : null
        }
        below={<p className="dim">{t('suppressions.hashes')}</p>}
        empty={{ icon: 'mailbox', title: t('suppressions.empty'), text: t('suppressions.empty.text') }}
      />
      {doing === null ? null : <Addresses lift={doing === 'lift'} onClose={() => setDoing(null)} />}
    </>
  );
}

/** Suppresses addresses or lifts their suppression: the server first requires the password. */
function Addresses({ lift, onClose }: { lift: boolean; onClose(): void }) {
  const { api } = useShop();
  const action = t(lift ? 'suppressions.lift' : 'suppressions.add');
  return (
    <FormDialog<BodyOf<'/suppressions', 'post'>>
      title={action}
      text={t(lift ? 'suppressions.lift.text' : 'suppressions.add.text')}
      fields={[
        {
          name: 'channel',
          label: t('template.channel'),
          type: 'choice',
          choices: CHANNELS.map((value) => ({ value, label: tOf('channel', value) })),
        },
        {
          name: 'addresses',
          label: t('suppressions.addresses'),
          type: 'words',
          required: true,
          help: t('suppressions.addresses.help'),
        },
      ]}
      initial={{ channel: 'email', addresses: '' }}
      submit={action}
      save={async (body) => {
        if (lift) {
          const { lifted } = await ok(api.POST('/suppressions/lift', { body }));
          say(t('suppressions.lifted', { n: lifted }));
          return;
        }
        const { added } = await ok(api.POST('/suppressions', { body }));
        say(t('suppressions.added', { n: added }));
      }}
      {...(lift ? { danger: true as const } : {})}
      onClose={onClose}
    />
  );
}
