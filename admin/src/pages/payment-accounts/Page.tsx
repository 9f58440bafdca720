import '../payment-methods/texts.ts';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { type PaymentAccount, usePaymentAccounts } from '../payment-methods/queries.ts';
import { PaymentTabs } from '../payment-methods/Tabs.tsx';
import { AccountDialog } from './AccountDialog.tsx';
import { CheckDialog } from './CheckDialog.tsx';

type Opened = { dialog: 'edit' | 'check'; account: PaymentAccount } | { dialog: 'new' };

/** The accounts at payment services through which buyers pay. Only owners see them. */
export function Page() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      <PageHeader title={t('payment_account.title')}>
        <Button onClick={() => setOpened({ dialog: 'new' })}>{t('payment_account.new')}</Button>
      </PageHeader>
      <PaymentTabs current="payment-methods/accounts" />
      <Loaded query={usePaymentAccounts()}>{(rows) => <Accounts accounts={rows} onOpen={setOpened} />}</Loaded>
      {opened?.dialog === 'new' ? <AccountDialog account={null} onClose={close} /> : null}
      {opened?.dialog === 'edit' ? <AccountDialog account={opened.account} onClose={close} /> : null}
      {opened?.dialog === 'check' ? <CheckDialog account={opened.account} onClose={close} /> : null}
    </>
  );
}

function Accounts({ accounts, onOpen }: { accounts: PaymentAccount[]; onOpen: (opened: Opened) => void }) {
  return (
    <Section title={t('payment_account.title')} flush>
      <SmallTable
        caption={t('payment_account.title')}
        rows={accounts}
        keyOf={({ id }) => id}
        empty={t('payment_account.empty')}
        intro={t('payment_account.intro')}
        columns={[
          {
            title: t('field.name'),
            cell: (account) => (
              <>
                <span className="row">
                  {account.name} <Status value={account.mode} />
                </span>
                <span className="dim">
                  {tOf('payment.provider', account.provider)}
                  {account.secret_end === null ? null : ` · …${account.secret_end}`}
                </span>
                <br />
                {t('payment_account.webhook_url')} <CopyAddress account={account} />
                <br />
                <code className="dim break">{account.webhook_url}</code>
              </>
            ),
          },
          {
            title: t('field.status'),
            cell: ({ active }) => <Status value={active ? 'active' : 'inactive'} />,
          },
          {
            title: t('field.actions'),
            right: true,
            cell: (account) => <Actions account={account} onOpen={onOpen} />,
          },
        ]}
      />
    </Section>
  );
}

function CopyAddress({ account: { name, webhook_url } }: { account: PaymentAccount }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('payment_account.copy', { name })}
      onClick={() => void copyText(webhook_url, t('payment_account.copied'))}
    >
      <Icon name="copy" size={16} />
    </ActionIcon>
  );
}

function Actions({ account, onOpen }: { account: PaymentAccount; onOpen: (opened: Opened) => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const { id, name, active } = account;
  const params = { path: { id } };
  const changed = (text: string) => {
    say(text);
    return client.invalidateQueries({ queryKey: [company.id] });
  };
  const toggle = useWrite({
    mutationFn: () => ok(api.PATCH('/payment-accounts/{id}', { params, body: { active: !active } })),
    onSuccess: () => changed(active ? t('payment_account.deactivated') : t('payment_account.activated')),
    onError: sayError,
  });
  const remove = useWrite({
    mutationFn: () => ok(api.DELETE('/payment-accounts/{id}', { params })),
    onSuccess: () => changed(t('form.deleted')),
    onError: sayError,
  });
  const deactivate = async (): Promise<void> => {
    const sure = await ask({
      title: t('payment_account.deactivate.title', { name }),
      text: t('payment_account.deactivate.text'),
      action: t('payment_account.deactivate'),
    });
    if (sure) toggle.mutate();
  };
  const askRemove = async (): Promise<void> => {
    const sure = await ask({
      title: t('delete.title', { name }),
      text: t('payment_account.delete.text'),
      action: t('action.delete'),
    });
    if (sure) remove.mutate();
  };
  return (
    <span className="row">
      <Button
        size="xs"
        variant="default"
        aria-label={t('payment_account.check.of', { name })}
        onClick={() => onOpen({ dialog: 'check', account })}
      >
        {t('payment_account.check')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            aria-label={t('payment_account.actions', { name })}
            loading={toggle.isPending || remove.isPending}
          >
            <Icon name="dots" size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onOpen({ dialog: 'edit', account })}>{t('action.edit')}</Menu.Item>
          {active ? (
            <Menu.Item onClick={() => void deactivate()}>{t('payment_account.deactivate')}</Menu.Item>
          ) : (
            <Menu.Item onClick={() => toggle.mutate()}>{t('payment_account.activate')}</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => void askRemove()}>
            {t('action.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
