import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { shippingFields } from '../../ui/form/addresses.ts';
import { isGoingOn } from './going-on.ts';
import { ProductInput } from './ProductInput.tsx';
import { PauseDialog, useSkipOrResume } from './pausing.tsx';
import { type Subscription, useFrequencies } from './queries.ts';

type Dialog = 'change' | 'address' | 'pause' | 'cancel';

/** Possible actions in its state; the server decides, this only selects the buttons. */
export function Actions({ subscription }: { subscription: Subscription }) {
  const { api } = useShop();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const { id, status } = subscription;
  const path = { path: { id } };
  const simple = useSkipOrResume(id);
  if (status === 'cancelled' || status === 'expired') return null;
  const goesOn = isGoingOn(subscription);
  return (
    <>
      {status === 'paused' ? (
        <Button loading={simple.isPending} onClick={() => simple.mutate('resume')}>
          {t('subscription.resume')}
        </Button>
      ) : null}
      {goesOn ? (
        <Button variant="default" loading={simple.isPending} onClick={() => simple.mutate('skip')}>
          {t('subscription.skip')}
        </Button>
      ) : null}
      <Button variant="default" onClick={() => setDialog('change')}>
        {t('action.change')}
      </Button>
      <MoreMenu>
        <Menu.Item onClick={() => setDialog('address')}>{t('subscription.change_address')}</Menu.Item>
        {goesOn ? <Menu.Item onClick={() => setDialog('pause')}>{t('subscription.pause')}</Menu.Item> : null}
        <Menu.Item color="red" onClick={() => setDialog('cancel')}>
          {t('subscription.cancel')}
        </Menu.Item>
      </MoreMenu>
      {dialog === 'change' ? <ChangeDialog subscription={subscription} onClose={() => setDialog(null)} /> : null}
      {dialog === 'address' ? <AddressDialog subscription={subscription} onClose={() => setDialog(null)} /> : null}
      {dialog === 'pause' ? <PauseDialog id={id} onClose={() => setDialog(null)} /> : null}
      {dialog === 'cancel' ? (
        <FormDialog
          title={t('subscription.cancel.title', { id })}
          text={t('subscription.cancel.text')}
          fields={[{ name: 'reason', label: t('field.reason'), type: 'text' }]}
          submit={t('subscription.cancel')}
          done={t('subscription.cancelled')}
          danger
          save={(body) => dataOf(api.POST('/subscriptions/{id}/cancel', { params: path, body }))}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </>
  );
}

function ChangeDialog({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { api } = useShop();
  const frequencies = useFrequencies().data?.rows ?? [];
  const { id, product_id, quantity, frequency_id, frequency_name, next_billing_date } = subscription;
  const choices = frequencies
    .filter((one) => one.active || one.id === frequency_id)
    .map((one) => ({ value: String(one.id), label: one.name }));
  return (
    <FormDialog
      title={t('subscription.change', { id })}
      fields={[
        {
          name: 'product_id',
          label: t('field.product'),
          type: 'custom',
          help: t('subscription.change_product.help'),
          custom: { Input: ProductInput, bodyOf: (value) => Number(value) || product_id },
        },
        { name: 'quantity', label: t('field.quantity'), type: 'number' },
        {
          name: 'frequency_id',
          label: t('subscription.frequency'),
          type: 'choice',
          choices: choices.length > 0 ? choices : [{ value: String(frequency_id), label: frequency_name }],
        },
        { name: 'next_billing_date', label: t('subscription.next'), type: 'day' },
      ]}
      initial={{
        product_id: String(product_id),
        quantity: String(quantity),
        frequency_id: String(frequency_id),
        next_billing_date: next_billing_date ?? '',
      }}
      submit={t('action.save')}
      done={t('form.saved')}
      save={({ frequency_id: chosen, ...given }) => {
        const changed = Object.fromEntries(
          Object.entries({ ...given, frequency_id: Number(chosen) }).filter(
            ([name, value]) => value !== subscription[name as keyof Subscription],
          ),
        );
        return dataOf(api.PATCH('/subscriptions/{id}', { params: { path: { id } }, body: changed }));
      }}
      onClose={onClose}
    />
  );
}

function AddressDialog({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { api } = useShop();
  const { id, shipping_address, shipping_zip, shipping_city, shipping_state, shipping_country } = subscription;
  return (
    <FormDialog<BodyOf<'/subscriptions/{id}', 'patch'>>
      title={t('subscription.change_address')}
      fields={[...shippingFields()]}
      initial={{ shipping_address, shipping_zip, shipping_city, shipping_state, shipping_country }}
      submit={t('action.save')}
      done={t('form.saved')}
      save={(body) => {
        // Most countries have no states: an empty one is said too.
        const whole = { ...body, shipping_state: body.shipping_state ?? '' };
        return dataOf(api.PATCH('/subscriptions/{id}', { params: { path: { id } }, body: whole }));
      }}
      onClose={onClose}
    />
  );
}
