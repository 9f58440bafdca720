import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { Facts, LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { type Customer, nameOf } from './queries.ts';

type Account = ResponseOf<'/customers/{id}/account'>['data'];
const ACTIONS = ['invite', 'close-account', 'end-sessions'] as const;

/** The customer's account in the store interface, and what the shop can do with it. */
export function CustomerAccount({ customer }: { customer: Customer }) {
  const { api, company, can } = useShop();
  const { id } = customer;
  const query = useQuery({
    queryKey: [company.id, 'customers', id, 'account'],
    queryFn: ({ signal }) => dataOf(api.GET('/customers/{id}/account', { params: { path: { id } }, signal })),
  });
  return (
    <Section title={t('customer.account')}>
      <LoadedPart query={query}>
        {(account) => (
          <div className="stack">
            <State account={account} />
            {can('customers:write') ? <Actions customer={customer} account={account} /> : null}
          </div>
        )}
      </LoadedPart>
    </Section>
  );
}

function State({ account }: { account: Account }) {
  const format = useFormat();
  const yesOrNo = (is: boolean) => t(is ? 'choice.yes' : 'choice.no');
  const inUse = account.account === 'active' || account.account === 'closed';
  return (
    <Facts
      facts={[
        [t('field.status'), tOf('customer.account', account.account)],
        inUse ? [t('customer.account.verified'), yesOrNo(account.email_verified)] : null,
        inUse ? [t('field.password'), yesOrNo(account.has_password)] : null,
        inUse ? [t('customer.account.passkeys'), format.number(account.passkeys)] : null,
        inUse ? [t('customer.account.sessions'), t('customer.account.devices', { n: account.sessions })] : null,
        account.last_seen_at === null
          ? null
          : [t('customer.account.last_seen'), <Moment key="seen" at={account.last_seen_at} />],
      ]}
    />
  );
}

/** Those that change something in the state that the account has. */
function Actions({ customer, account }: { customer: Customer; account: Account }) {
  const { api } = useShop();
  const act = useAct();
  const name = nameOf(customer);
  const isActive = account.account === 'active';
  const possible = { invite: !isActive, 'close-account': isActive, 'end-sessions': account.sessions > 0 };
  const run = async (action: (typeof ACTIONS)[number]): Promise<void> => {
    const title = t(`customer.${action}.title`, { name });
    const sure = await ask({ title, text: t(`customer.${action}.text`), action: t(`customer.${action}`) });
    if (!sure) return;
    const params = { path: { id: customer.id } };
    await act(() => dataOf(api.POST(`/customers/{id}/${action}`, { params })), t(`customer.${action}.done`));
  };
  return (
    <div className="row">
      {ACTIONS.filter((action) => possible[action]).map((action) => (
        <Button key={action} size="xs" variant="default" onClick={() => void run(action)}>
          {t(`customer.${action}`)}
        </Button>
      ))}
    </div>
  );
}
