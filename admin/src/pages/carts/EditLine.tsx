import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { sayError } from '../../ui/messages.tsx';
import css from './carts.module.css';
import type { Cart, Line } from './queries.ts';

/** A quantity as it is typed. */
export interface Quantity {
  value: string;
  error: string | undefined;
  set(text: string): void;
}

interface EditLineProps {
  cart: Cart;
  line: Line;
  qty: Quantity;
}

/** The quantity of a line, its own price, and its removal. */
export function EditLine({ cart, line, qty }: EditLineProps) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [pricing, setPricing] = useState(false);
  const params = { path: { id: cart.id, line_id: line.id } };
  const remove = useWrite({
    mutationFn: () => dataOf(api.DELETE('/carts/{id}/lines/{line_id}', { params })),
    onSuccess: () => client.invalidateQueries({ queryKey: [company.id, 'carts'] }),
    onError: sayError,
  });
  const name = line.title === null ? line.name : `${line.name} (${line.title})`;
  return (
    <span className={css.edit}>
      <TextInput
        className={css.qty}
        inputMode="numeric"
        autoComplete="off"
        aria-label={t('order.new.qty', { name })}
        error={qty.error}
        value={qty.value}
        onChange={(event) => qty.set(event.currentTarget.value)}
      />
      <Button size="sm" variant="subtle" aria-label={t('cart.own_price.of', { name })} onClick={() => setPricing(true)}>
        {t('cart.own_price')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        loading={remove.isPending}
        aria-label={t('order.new.remove', { name })}
        onClick={() => remove.mutate()}
      >
        <Icon name="x" size={16} />
      </ActionIcon>
      {pricing ? (
        <FormDialog<{ price_override?: number; override_reason?: string }>
          title={t('cart.own_price.of', { name })}
          text={t('cart.own_price.text')}
          fields={[
            { name: 'price_override', label: t('field.price'), type: 'money' },
            { name: 'override_reason', label: t('field.reason'), type: 'text' },
          ]}
          initial={{
            price_override: line.price_override === null ? '' : String(line.price_override),
            override_reason: line.override_reason ?? '',
          }}
          submit={t('action.save')}
          save={({ price_override = null, override_reason = null }) =>
            dataOf(api.PATCH('/carts/{id}/lines/{line_id}', { params, body: { price_override, override_reason } }))
          }
          onClose={() => setPricing(false)}
        />
      ) : null}
    </span>
  );
}
