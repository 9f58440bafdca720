import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ROLES, type Role } from '../../../../src/access/roles.ts';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { LANGUAGES, type Language } from '../../i18n/catalogues.ts';
import { language, type TextKey, t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SecretDialog } from '../../ui/Secret.tsx';
import { Sessions } from './Sessions.tsx';

type Member = Model<'Member'>;

const roles = () => ROLES.map((value) => ({ value, label: tOf('role', value) }));

const languages = () => Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));

/** Whether the invitation was mailed. */
function mailing(sent: boolean, hasMail: boolean): TextKey {
  if (sent) return 'members.invited.sent';
  return hasMail ? 'members.invited.not_sent' : 'members.invited.no_mail';
}

/** The company's members, their roles, and invitations. */
export function Page() {
  const { api, company, can, session } = useShop();
  const [inviting, setInviting] = useState(false);
  const [made, setMade] = useState<{ email: string; url: string | null; sent: boolean } | null>(null);
  const members = useQuery({
    queryKey: [company.id, 'members'],
    queryFn: async ({ signal }) => (await ok(api.GET('/members', { signal }))).members,
  });
  return (
    <>
      <PageHeader title={t('nav.members')}>
        {can('members:write') ? <Button onClick={() => setInviting(true)}>{t('members.invite')}</Button> : null}
      </PageHeader>
      <div className="stack">
        <Loaded query={members}>{(rows) => <Members members={rows} />}</Loaded>
        <Invitations />
      </div>
      {inviting ? (
        <FormDialog<{ email: string; role: Role; language: Language }>
          title={t('members.invite')}
          text={t('members.invite.text')}
          fields={[
            { name: 'email', label: t('field.email'), type: 'email', required: true },
            { name: 'role', label: t('members.role'), type: 'choice', choices: roles(), help: t('members.role.help') },
            { name: 'language', label: t('members.invite.language'), type: 'choice', choices: languages() },
          ]}
          initial={{ role: 'viewer', language: language() }}
          submit={t('members.invite')}
          save={async (body) => setMade(await ok(api.POST('/invitations', { body })))}
          onClose={() => setInviting(false)}
        />
      ) : null}
      {made?.url ? (
        <SecretDialog
          title={t('members.invited', { email: made.email })}
          text={`${t(mailing(made.sent, session.settings.mail), { email: made.email })} ${t('members.invited.text')}`}
          secret={made.url}
          onClose={() => setMade(null)}
        />
      ) : null}
    </>
  );
}

function Members({ members }: { members: Member[] }) {
  const { api, company, can, session } = useShop();
  const client = useQueryClient();
  const after = (text: string) => async (): Promise<void> => {
    say(text);
    await client.invalidateQueries({ queryKey: [company.id] });
  };
  const [changing, setChanging] = useState<Member | null>(null);
  const [shown, setShown] = useState<Member | null>(null);
  const remove = useWrite({
    mutationFn: (id: number) => ok(api.DELETE('/members/{id}', { params: { path: { id } } })),
    onSuccess: after(t('members.removed')),
    onError: sayError,
  });
  const askRemove = async ({ id, name }: Member): Promise<void> => {
    const sure = await ask({
      title: t('members.remove.title', { name }),
      text: t('members.remove.text'),
      action: t('members.remove'),
    });
    if (sure) remove.mutate(id);
  };
  return (
    <Section title={t('nav.members')} flush>
      <SmallTable
        caption={t('nav.members')}
        rows={members}
        keyOf={(member) => member.id}
        empty={t('members.none')}
        columns={[
          {
            title: t('field.name'),
            cell: (member) => (
              <>
                {member.name}
                {member.id === session.person.id ? <span className="dim"> ({t('members.you')})</span> : null}
                <br />
                <span className="dim">{member.email}</span>
              </>
            ),
          },
          {
            title: t('members.role'),
            cell: (member) => tOf('role', member.role),
          },
          {
            title: t('members.second_factor'),
            wide: true,
            cell: (member) => (member.has_totp || member.passkeys > 0 ? t('choice.yes') : t('choice.no')),
          },
          { title: t('members.last_seen'), wide: true, cell: (member) => <Moment at={member.last_seen_at} /> },
          ...(can('members:write')
            ? [
                {
                  title: t('field.actions'),
                  right: true as const,
                  cell: (member: Member) => (
                    <div className="row">
                      <span className="grow" />
                      <Button size="xs" variant="default" onClick={() => setShown(member)}>
                        {t('members.sessions')}
                      </Button>
                      <Button size="xs" variant="default" onClick={() => setChanging(member)}>
                        {t('members.change_role')}
                      </Button>
                      <Button size="xs" variant="default" onClick={() => void askRemove(member)}>
                        {t('members.remove')}
                      </Button>
                    </div>
                  ),
                },
              ]
            : []),
        ]}
      />
      {shown === null ? null : <Sessions member={shown} onClose={() => setShown(null)} />}
      {changing === null ? null : (
        <FormDialog<{ role: Role }>
          title={t('members.role_of', { name: changing.name })}
          fields={[
            { name: 'role', label: t('members.role'), type: 'choice', choices: roles(), help: t('members.role.help') },
          ]}
          initial={{ role: changing.role }}
          submit={t('action.save')}
          done={t('form.saved')}
          save={(body) => ok(api.PATCH('/members/{id}', { params: { path: { id: changing.id } }, body }))}
          onClose={() => setChanging(null)}
        />
      )}
    </Section>
  );
}

function Invitations() {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: [company.id, 'invitations'],
    queryFn: async ({ signal }) => (await ok(api.GET('/invitations', { signal }))).invitations,
  });
  const withdraw = useWrite({
    mutationFn: (id: number) => ok(api.DELETE('/invitations/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [company.id, 'invitations'] }),
    onError: sayError,
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <Section title={t('members.invitations')} flush>
      <SmallTable
        caption={t('members.invitations')}
        rows={data}
        keyOf={(one) => one.id}
        empty=""
        columns={[
          { title: t('field.email'), cell: (one) => one.email },
          { title: t('members.role'), cell: (one) => tOf('role', one.role) },
          { title: t('members.invited_by'), wide: true, cell: (one) => one.invited_by },
          { title: t('members.expires'), wide: true, cell: (one) => <Moment at={one.expires_at} /> },
          {
            title: t('field.actions'),
            right: true,
            cell: (one) =>
              can('members:write') ? (
                <Button size="xs" variant="default" onClick={() => withdraw.mutate(one.id)}>
                  {t('members.withdraw')}
                </Button>
              ) : null,
          },
        ]}
      />
    </Section>
  );
}
