import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DangerButton } from '../../ui/DangerButton.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import { accountBody, accountFields, type SendingAccount, valuesOf } from './account-form.ts';
import css from './Domains.module.css';
import { TestAccount } from './TestAccount.tsx';

/** One account: whether messages are sent through it, the service's response, and its settings without the secret. */
export function Account({ account }: { account: SendingAccount }) {
  const { provider, active, failing_since, failure, secret_end, rate, notifications_url } = account;
  const settings = Object.entries(account[provider] ?? {}).filter(([, value]) => value !== null);
  return (
    <Section title={account.name} actions={<Actions account={account} />}>
      <p className={css.state}>
        <Status value={failing_since !== null ? 'failing' : active ? 'active' : 'inactive'} />{' '}
        {tOf('accounts.of', provider)}. {tOf('accounts.state', active ? account.channel : 'inactive')}
      </p>
      {failing_since === null ? null : (
        <p role="alert" className={css.value}>
          <span>
            {t('accounts.failing')} <Moment at={failing_since} />: <code>{failure}</code>
          </span>
        </p>
      )}
      <dl className={css.parts}>
        {settings.map(([name, value]) => (
          <Part key={name} label={tOf('accounts.field', name)} text={String(value)} />
        ))}
        {secret_end === null ? null : <Part label={t('accounts.secret')} text={`…${secret_end}`} />}
        {rate === null ? null : <Part label={t('accounts.rate')} text={String(rate)} />}
        {notifications_url === null ? null : (
          <Part label={tOf('accounts.notifications', account.channel)} text={notifications_url} />
        )}
      </dl>
    </Section>
  );
}

function Part({ label, text }: { label: string; text: string }) {
  return (
    <div className={css.wide}>
      <dt>{label}</dt>
      <dd className={css.value}>
        <code>{text}</code>
      </dd>
    </div>
  );
}

function Actions({ account }: { account: SendingAccount }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'test' | null>(null);
  const { account_id: id, name } = account;
  const path = { params: { path: { id } } };
  if (!can('company:write')) return null;
  const remove = async (): Promise<void> => {
    const sure = await ask({
      title: t('delete.title', { name }),
      text: t('accounts.delete.text'),
      action: t('action.delete'),
    });
    if (!sure) return;
    try {
      await ok(api.DELETE('/sending-accounts/{id}', path));
      await client.invalidateQueries({ queryKey: [company.id, 'sending-accounts'] });
      say(t('form.deleted'));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <span className={css.actions}>
      <Button size="xs" variant="default" onClick={() => setOpen('test')} aria-label={t('accounts.test.of', { name })}>
        {t('accounts.test')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen('edit')} aria-label={t('accounts.edit.of', { name })}>
        {t('action.edit')}
      </Button>
      <DangerButton size="xs" onClick={() => void remove()} aria-label={t('accounts.delete.of', { name })}>
        {t('action.delete')}
      </DangerButton>
      {open === 'test' ? <TestAccount account={account} onClose={() => setOpen(null)} /> : null}
      {open === 'edit' ? (
        <FormDialog
          title={name}
          fields={accountFields(account)}
          initial={valuesOf(account)}
          submit={t('action.save')}
          save={(typed) =>
            ok(api.PATCH('/sending-accounts/{id}', { ...path, body: accountBody(typed, account.provider) }))
          }
          onClose={() => setOpen(null)}
        />
      ) : null}
    </span>
  );
}
