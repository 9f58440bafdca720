import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { textOf } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import type { SendingAccount } from './account-form.ts';
import css from './Domains.module.css';

/** Sends one message to the person, and shows the service's response. */
export function TestAccount({ account, onClose }: { account: SendingAccount; onClose(): void }) {
  const { api } = useShop();
  const [to, setTo] = useState('');
  const test = useWrite({
    mutationFn: () =>
      ok(
        api.POST('/sending-accounts/test/{id}', {
          params: { path: { id: account.account_id } },
          body: { to: to.trim() },
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate();
  };
  const result = test.data;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('accounts.test.of', { name: account.name })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form className="stack" onSubmit={submit} noValidate>
        <TextInput
          label={tOf('accounts.test.to', account.channel)}
          required
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={test.error === null ? undefined : textOf(test.error)}
        />
        <div aria-live="polite">
          {result === undefined ? null : (
            <>
              <p className={css.state}>
                <Status value={result.sent ? 'sent' : 'failed'} /> {t('accounts.test.reply')}
              </p>
              <p className={css.value}>
                <code>{result.reply}</code>
              </p>
            </>
          )}
        </div>
        <div className="row">
          <span className="grow" />
          <Button variant="default" onClick={onClose}>
            {t('action.close')}
          </Button>
          <Button type="submit" loading={test.isPending}>
            {t('accounts.test')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
