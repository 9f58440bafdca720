import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountApi, type OwnSession, type Person } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { SESSION, useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Facts, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { deviceOf } from '../../ui/words/device.ts';
import css from './Page.module.css';
import { Passkeys } from './Passkeys.tsx';
import { SecondFactor } from './SecondFactor.tsx';

/** The person's own account: name, password, authenticator app, and sessions. */
export function Page() {
  const { session } = useShop();
  const { person } = session;
  return (
    <>
      <PageHeader title={t('account.title')} />
      {person.id === null ? (
        <Section title={t('account.title')}>
          <p>{t('account.operator')}</p>
        </Section>
      ) : (
        <DetailColumns>
          <Account person={person} />
          <Passkeys />
          <SecondFactor person={person} />
          <Sessions />
        </DetailColumns>
      )}
    </>
  );
}

function Account({ person }: { person: Person }) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'name' | 'password' | null>(null);
  const after = () => client.invalidateQueries({ queryKey: SESSION });
  return (
    <Section title={t('section.details')}>
      <Facts
        facts={[
          [t('field.your_name'), person.name],
          [t('field.email'), person.email],
          [t('field.password'), person.has_password ? '••••••••' : t('account.no_password')],
        ]}
      />
      <div className={css.actions}>
        <Button variant="default" size="xs" onClick={() => setDialog('name')}>
          {t('account.change_name')}
        </Button>
        <Button variant="default" size="xs" onClick={() => setDialog('password')}>
          {person.has_password ? t('account.change_password') : t('account.set_password')}
        </Button>
      </div>
      {dialog === 'name' ? (
        <FormDialog<{ name: string }>
          title={t('account.change_name')}
          fields={[{ name: 'name', label: t('field.your_name'), type: 'text', required: true }]}
          initial={{ name: person.name }}
          submit={t('action.save')}
          done={t('form.saved')}
          save={async (body) => {
            await ok(accountApi.PATCH('/me', { body }));
            await after();
          }}
          onClose={() => setDialog(null)}
        />
      ) : null}
      {dialog === 'password' ? (
        <FormDialog<{ password: string }>
          title={t('account.change_password')}
          text={t('account.password.text')}
          fields={[
            { name: 'password', label: t('field.new_password'), type: 'password', help: t('field.password.help') },
          ]}
          submit={t('action.save')}
          done={t('form.saved')}
          save={async (body) => {
            await ok(accountApi.POST('/me/password', { body }));
            await Promise.all([after(), client.invalidateQueries({ queryKey: ['me'] })]);
          }}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </Section>
  );
}

function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ['me', 'sessions'],
    queryFn: async ({ signal }) => (await ok(accountApi.GET('/me/sessions', { signal }))).sessions,
  });
  const end = useWrite({
    mutationFn: (ids: number[]) =>
      Promise.all(ids.map((id) => ok(accountApi.DELETE('/me/sessions/{id}', { params: { path: { id } } })))),
    onSuccess: () => {
      say(t('account.session.ended'));
      return client.invalidateQueries({ queryKey: ['me', 'sessions'] });
    },
    onError: sayError,
  });
  const othersOf = (rows: OwnSession[]): number[] => rows.filter(({ current }) => !current).map(({ id }) => id);
  return (
    <Loaded query={sessions}>
      {(rows) => (
        <Section
          title={t('account.sessions')}
          flush
          actions={
            othersOf(rows).length > 0 ? (
              <Button size="xs" variant="default" onClick={() => end.mutate(othersOf(rows))}>
                {t('account.session.end_others')}
              </Button>
            ) : null
          }
        >
          <SmallTable
            caption={t('account.sessions')}
            rows={rows}
            keyOf={(one) => one.id}
            empty=""
            columns={[
              { title: t('account.device'), cell: (one) => deviceOf(one.user_agent) },
              { title: t('account.address'), wide: true, cell: (one) => one.address },
              { title: t('members.last_seen'), cell: (one) => <Moment at={one.last_seen_at} /> },
              {
                title: t('field.actions'),
                right: true,
                cell: (one) =>
                  one.current ? (
                    <span className="dim">{t('account.session.current')}</span>
                  ) : (
                    <Button size="xs" variant="default" onClick={() => end.mutate([one.id])}>
                      {t('account.session.end')}
                    </Button>
                  ),
              },
            ]}
          />
        </Section>
      )}
    </Loaded>
  );
}
