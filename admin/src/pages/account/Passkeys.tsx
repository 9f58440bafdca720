import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountApi, type Passkey } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { createPasskey, passkeysPossible } from '../../api/passkeys.ts';
import { SESSION } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import css from './Page.module.css';

/** Passkeys of the person: added on this device, renamed, removed. */
export function Passkeys() {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const passkeys = useQuery({
    queryKey: ['me', 'passkeys'],
    queryFn: async ({ signal }) => (await ok(accountApi.GET('/me/passkeys', { signal }))).passkeys,
  });
  const after = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['me', 'passkeys'] }),
      client.invalidateQueries({ queryKey: SESSION }),
    ]);
  };
  const remove = useWrite({
    mutationFn: (id: number) => ok(accountApi.DELETE('/me/passkeys/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      say(t('account.passkey.removed'));
      return after();
    },
    onError: sayError,
  });
  const askRemove = async ({ id, name }: Passkey): Promise<void> => {
    const sure = await ask({
      title: t('account.passkey.remove.title', { name }),
      text: t('account.passkey.remove.text'),
      action: t('account.passkey.remove'),
    });
    if (sure) remove.mutate(id);
  };
  const possible = passkeysPossible();
  return (
    <Section
      title={t('account.passkeys')}
      flush
      actions={
        possible ? (
          <Button size="xs" onClick={() => setAdding(true)}>
            {t('account.passkey.add')}
          </Button>
        ) : null
      }
    >
      <p className={`${css.note} dim`}>{possible ? t('account.passkeys.text') : t('account.passkeys.impossible')}</p>
      <Loaded query={passkeys}>
        {(rows) => (
          <SmallTable
            caption={t('account.passkeys')}
            rows={rows}
            keyOf={(one) => one.id}
            empty={t('account.passkeys.none')}
            columns={[
              { title: t('field.name'), cell: (one) => <span className="break">{one.name}</span> },
              { title: t('field.created'), wide: true, cell: (one) => <Moment at={one.created_at} /> },
              { title: t('account.passkey.last_used'), wide: true, cell: (one) => <Moment at={one.last_used_at} /> },
              {
                title: t('field.actions'),
                right: true,
                cell: (one) => (
                  <span className={css.pair}>
                    <Button size="xs" variant="default" onClick={() => setRenaming(one)}>
                      {t('account.passkey.rename')}
                    </Button>
                    <Button size="xs" variant="default" onClick={() => void askRemove(one)}>
                      {t('account.passkey.remove')}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {adding ? (
        <FormDialog<{ name: string }>
          title={t('account.passkey.add')}
          text={t('account.passkey.add.text')}
          fields={[{ name: 'name', label: t('field.name'), type: 'text', required: true }]}
          initial={{ name: t('account.passkey.default_name') }}
          submit={t('action.continue')}
          done={t('account.passkey.added')}
          save={async ({ name }) => {
            await createPasskey(name);
            await after();
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {renaming === null ? null : (
        <FormDialog<{ name: string }>
          title={t('account.passkey.rename')}
          fields={[{ name: 'name', label: t('field.name'), type: 'text', required: true }]}
          initial={{ name: renaming.name }}
          submit={t('action.save')}
          done={t('form.saved')}
          save={async (body) => {
            const path = { id: renaming.id };
            await ok(accountApi.PATCH('/me/passkeys/{id}', { params: { path }, body }));
            await after();
          }}
          onClose={() => setRenaming(null)}
        />
      )}
    </Section>
  );
}
