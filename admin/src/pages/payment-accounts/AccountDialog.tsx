import { PAYMENT_SERVICES } from '../../../../src/commerce/payments/providers/provider.ts';
import { type BodyOf, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import type { PaymentAccount } from '../payment-methods/queries.ts';

type Typed = BodyOf<'/payment-accounts', 'post'>;

const MODES: readonly PaymentAccount['mode'][] = ['test', 'live'];

function fieldsOf(account: PaymentAccount | null): FieldOf<Typed>[] {
  const isStripe = ({ provider }: Values): boolean => provider === 'stripe';
  const kept = account === null ? {} : { help: t('payment_account.kept') };
  const fixed: FieldOf<Typed>[] = [
    {
      name: 'provider',
      label: t('payment_account.provider'),
      type: 'choice',
      required: true,
      choices: PAYMENT_SERVICES.map((value) => ({ value, label: tOf('payment.provider', value) })),
    },
    {
      name: 'mode',
      label: t('payment_account.mode'),
      type: 'choice',
      required: true,
      help: t('payment_account.mode.help'),
      choices: MODES.map((value) => ({ value, label: tOf('status', value) })),
    },
  ];
  return [
    ...(account === null ? fixed : []),
    { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('payment_account.name.help') },
    {
      name: 'publishable_key',
      label: t('payment_account.publishable_key'),
      type: 'text',
      required: true,
      when: isStripe,
      help: t('payment_account.publishable_key.help'),
    },
    {
      name: 'secret_key',
      label: t('payment_account.secret_key'),
      type: 'password',
      ...(account === null ? { required: true as const } : {}),
      ...kept,
    },
    {
      name: 'webhook_secret',
      label: t('payment_account.webhook_secret'),
      type: 'password',
      when: isStripe,
      help: account === null ? t('payment_account.webhook_secret.help') : t('payment_account.webhook_secret.kept'),
    },
  ];
}

/** Adds a payment account, or changes its name and its keys. A secret that is left empty stays as it is. */
export function AccountDialog({ account, onClose }: { account: PaymentAccount | null; onClose: () => void }) {
  const { api } = useShop();
  const send = (typed: Typed) => {
    if (account === null) return ok(api.POST('/payment-accounts', { body: typed }));
    const { provider: _provider, mode: _mode, ...body } = typed;
    return ok(api.PATCH('/payment-accounts/{id}', { params: { path: { id: account.id } }, body }));
  };
  return (
    <FormDialog<Typed>
      title={account === null ? t('payment_account.new') : t('payment_account.edit', { name: account.name })}
      fields={fieldsOf(account)}
      initial={{
        provider: account?.provider ?? 'stripe',
        mode: account?.mode ?? 'test',
        name: account?.name ?? '',
        publishable_key: account?.publishable_key ?? '',
      }}
      submit={account === null ? t('action.create') : t('action.save')}
      save={send}
      done={account === null ? t('form.created') : t('form.saved')}
      onClose={onClose}
    />
  );
}
