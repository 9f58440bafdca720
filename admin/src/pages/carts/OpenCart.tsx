import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Section } from '../../ui/DetailPage.tsx';
import { draftKey, forgetDraft } from '../../ui/form/drafts.tsx';
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
import { Conflict } from './Conflict.tsx';
import css from './carts.module.css';
import { type Changes, cartGroups, qtyGroup, qtyName, saveChanges, valuesOf } from './fields.ts';
import { Lines } from './Lines.tsx';
import { Problems } from './Problems.tsx';
import { type Cart, draftNames, NO_CART } from './queries.ts';
import { Summary } from './Summary.tsx';
import { useAutosave } from './useAutosave.ts';
import { useCartWrites } from './useCartWrites.ts';

interface OpenCartProps {
  cart: Cart;
  custom: CustomField[];
  onCreated?: (cart: Cart) => void;
}

/** A cart that is being filled: every change is saved at once, and the price follows. */
export function OpenCart({ cart, custom, onCreated }: OpenCartProps) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const isNew = cart.id === NO_CART;
  const groups = cartGroups(cart, custom, company, useFormat());
  const reload = () => client.invalidateQueries({ queryKey: [company.id, 'carts'] });
  const writes = useCartWrites(cart, onCreated);
  const [choose, setChoose] = useState<((mine: boolean) => void) | null>(null);
  const theirs = async () => {
    const now = await dataOf(api.GET('/carts/{id}', { params: { path: { id: cart.id } } }));
    return { values: valuesOf(now, custom, company), revision: now.revision };
  };
  const form = useRecordForm<Changes>({
    draft: draftNames(cart.id)[0],
    groups: [qtyGroup(cart), ...groups],
    initial: valuesOf(cart, custom, company),
    fieldOf: (root, _values, whole) => customFieldOf(root, whole),
    ...(isNew ? {} : { theirs }),
    mayReplace: (names, theirs) => {
      const { current: last } = writes.last;
      const own = last === null ? {} : valuesOf(last, custom, company);
      if (names.every((name) => own[name] === theirs[name])) return true;
      return new Promise((resolve) => setChoose(() => resolve));
    },
    save: async (changes, _values, over) => {
      try {
        await saveChanges(writes, cart, changes, over);
      } catch (error) {
        // A part may have been saved.
        await reload();
        throw error;
      }
    },
  });
  const flush = useAutosave(form);
  const add = useWrite<Cart, number>({
    mutationFn: writes.add,
    onSuccess: reload,
  });
  // What was typed before the cart existed is kept with its number by now.
  useEffect(() => {
    if (isNew) return;
    for (const name of draftNames(NO_CART)) forgetDraft(draftKey(company, name));
  }, [isNew, company]);
  const settle = async (mine: boolean): Promise<void> => {
    if (!mine) {
      await reload();
      // Rendered before a save that waits for this one looks at what is typed.
      flushSync(form.discard);
    }
    setChoose(null);
    choose?.(mine);
  };
  return (
    <DetailColumns
      side={
        <>
          <Summary
            cart={cart}
            writes={writes}
            stale={choose === null && (form.busy || form.changed)}
            flush={flush}
            onPlaced={form.letGo}
          />
          {cart.billing === null ? null : <Billing billing={cart.billing} />}
          {isNew ? null : <CartFacts cart={cart} />}
        </>
      }
    >
      {choose === null ? null : <Conflict onChoose={(mine) => void settle(mine)} />}
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
        <Buyer cart={cart} writes={writes} />
      </Section>
      <FieldGroups form={form} groups={groups} />
    </DetailColumns>
  );
}
