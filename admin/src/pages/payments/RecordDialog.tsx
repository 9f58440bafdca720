import './texts.ts';
import { useState } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { moneyText } from '../../ui/form/numbers.ts';
import { useFormat } from '../../ui/format.tsx';
import { usePaymentMethods } from '../payment-methods/queries.ts';

interface RecordDialogProps {
  orderId: number;
  /** What the buyer owes; 0 or less where nothing is owed. */
  owed: number;
  /** The method by which money is awaited. */
  methodId: number | undefined;
  onClose(): void;
}

/** Records money that has arrived for an order. */
export function RecordDialog({ orderId, onClose, ...given }: RecordDialogProps) {
  const { api, company } = useShop();
  // What is refetched while the dialog is open does not change what it says.
  const [{ owed, methodId }] = useState(given);
  const format = useFormat();
  // Awaited money can also come by a method that was turned off since. A service reports its money itself.
  const methods = (usePaymentMethods().data ?? []).filter(
    ({ active, id, provider }) => provider === 'manual' && (active || id === methodId),
  );
  const [first] = methods;
  if (first === undefined) return null;
  const chosen = methods.find(({ id }) => id === methodId) ?? first;
  return (
    <FormDialog<BodyOf<'/orders/{id}/payments', 'post'>>
      title={t('money.record.title', { id: orderId })}
      text={owed > 0 ? t('money.next.owed', { amount: format.money(owed) }) : t('money.next.nothing')}
      fields={[
        {
          name: 'method_id',
          label: t('money.method'),
          type: 'choice',
          required: true,
          choices: methods.map(({ id, name }) => ({ value: String(id), label: name })),
          bodyOf: Number,
        },
        { name: 'amount', label: t('money.amount'), type: 'money', required: true },
        { name: 'reference', label: t('money.reference'), type: 'text', help: t('money.reference.help') },
        { name: 'received_on', label: t('money.received_on'), type: 'day' },
      ]}
      initial={{
        method_id: String(chosen.id),
        amount: owed > 0 ? moneyText(owed, company.currency) : '',
        received_on: dayIn(company.time_zone),
      }}
      submit={t('money.record')}
      done={t('money.recorded')}
      save={(body) => dataOf(api.POST('/orders/{id}/payments', { params: { path: { id: orderId } }, body }))}
      onClose={onClose}
    />
  );
}
