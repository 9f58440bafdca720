import './accounts-texts.ts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Empty } from '../../ui/states.tsx';
import { Account } from './Account.tsx';
import { accountBody, accountFields, valuesOf } from './account-form.ts';
import css from './Domains.module.css';
import { Tabs } from './Tabs.tsx';

/** More than a company may have. */
const ALL = 100;

/** The company's own accounts at mail and SMS services. */
export function AccountsPage() {
  const { api, company, can } = useShop();
  const [adding, setAdding] = useState(false);
  const accounts = useQuery({
    queryKey: [company.id, 'sending-accounts'],
    queryFn: async ({ signal }) =>
      (await ok(api.GET('/sending-accounts', { params: { query: { per_page: ALL } }, signal }))).sending_accounts,
  });
  const add = can('company:write') ? <Button onClick={() => setAdding(true)}>{t('accounts.add')}</Button> : null;
  return (
    <>
      <Tabs current="accounts" />
      <Loaded query={accounts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="send" title={t('accounts.empty')} text={t('accounts.empty.text')}>
              {add}
            </Empty>
          ) : (
            <div className="stack">
              <div className={css.head}>
                <p>{t('accounts.intro')}</p>
                {add}
              </div>
              {rows.map((account) => (
                <Account key={account.account_id} account={account} />
              ))}
            </div>
          )
        }
      </Loaded>
      {adding ? (
        <FormDialog
          title={t('accounts.add')}
          fields={accountFields(null)}
          initial={valuesOf(null)}
          submit={t('action.create')}
          save={(typed) => ok(api.POST('/sending-accounts', { body: accountBody(typed, null) }))}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
