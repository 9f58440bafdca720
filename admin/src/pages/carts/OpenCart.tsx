import { useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Section } from '../../ui/DetailPage.tsx';
import { FieldGroups } from '../../ui/form/FieldGroups.tsx';
import { useRecordForm } from '../../ui/form/useRecordForm.ts';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import { customFieldOf } from '../custom-fields/fields.tsx';
import type { CustomField } from '../custom-fields/queries.ts';
import { Billing } from '../orders/Billing.tsx';
import { ProductFinder } from '../products/ProductFinder.tsx';
import { Buyer } from './Buyer.tsx';
import { CartFacts } from './CartFacts.tsx';
import css from './carts.module.css';
import { type Changes, cartGroups, qtyGroup, qtyName, saveChanges, valuesOf } from './fields.ts';
import { Lines } from './Lines.tsx';
import { Problems } from './Problems.tsx';
import type { Cart } from './queries.ts';
import { Summary } from './Summary.tsx';
import { useAutosave } from './useAutosave.ts';

/** A cart that is being filled: every change is saved at once, and the price follows. */
export function OpenCart({ cart, custom }: { cart: Cart; custom: CustomField[] }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const groups = cartGroups(cart, custom, company, useFormat());
  const reload = () => client.invalidateQueries({ queryKey: [company.id, 'carts'] });
  const form = useRecordForm<Changes>({
    draft: `carts-${cart.id}`,
    groups: [qtyGroup(cart), ...groups],
    initial: valuesOf(cart, custom, company),
    fieldOf: (root, _values, whole) => customFieldOf(root, whole),
    save: async (changes) => {
      try {
        await saveChanges(api, cart, changes);
      } catch (error) {
        // A part may have been saved.
        await reload();
        throw error;
      }
    },
  });
  const flush = useAutosave(form);
  const add = useWrite<Cart, number>({
    mutationFn: (product_id) => {
      const body = { lines: [{ product_id, qty: 1 }] };
      return dataOf(api.POST('/carts/{id}/lines', { params: { path: { id: cart.id } }, body }));
    },
    onSuccess: reload,
  });
  return (
    <DetailColumns
      side={
        <>
          <Summary cart={cart} stale={form.busy || form.changed} flush={flush} onPlaced={form.letGo} />
          {cart.billing === null ? null : <Billing billing={cart.billing} />}
          <CartFacts cart={cart} />
        </>
      }
    >
      <Problems cart={cart} />
      <Section title={t('order.items')} flush>
        <div className={css.finder}>
          <ProductFinder
            label={t('order.new.find')}
            error={add.isError ? textOf(add.error) : undefined}
            among="sold"
            onChoose={({ id }) => add.mutate(id)}
          />
        </div>
        <Lines
          cart={cart}
          editing={{
            qtyOf: (line) => ({
              value: String(form.values[qtyName(line)] ?? ''),
              error: form.errorOf(qtyName(line)),
              set: (text) => form.set(qtyName(line), text),
            }),
          }}
        />
      </Section>
      <Section title={t('cart.buyer')}>
        <Buyer cart={cart} />
      </Section>
      <FieldGroups form={form} groups={groups} />
    </DetailColumns>
  );
}
