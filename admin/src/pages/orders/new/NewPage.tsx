import { NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useGo } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { type TextKey, t } from '../../../i18n/i18n.ts';
import { useWrite } from '../../../ui/actions/useWrite.ts';
import { DetailColumns, Section } from '../../../ui/DetailPage.tsx';
import { useStateList } from '../../../ui/form/states.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { say } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useCustomFields } from '../../custom-fields/queries.ts';
import { Buyer } from './Buyer.tsx';
import { problemsOf, useCalculation } from './calculation.ts';
import { bodyOf, type NewOrder, type TextName, useDraft } from './draft.ts';
import { Lines } from './Lines.tsx';
import css from './new.module.css';
import { customBody, OrderFields } from './OrderFields.tsx';
import { Summary } from './Summary.tsx';

const ADDRESS: [TextName, TextKey, TextKey?][] = [
  ['shipping_address', 'field.address'],
  ['shipping_zip', 'field.zip'],
  ['shipping_city', 'field.city'],
  ['shipping_state', 'field.state'],
  ['shipping_country', 'field.country', 'field.country.help'],
];

/** An order taken by phone: shows the price while it is entered, then places it. */
export function NewPage() {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const go = useGo();
  const [draft, change, clear] = useDraft();
  const calculation = useCalculation(draft);
  const { data: custom = [] } = useCustomFields('order');
  // The same for every attempt that got no response, so that an order is never placed twice.
  const key = useRef(newKey());
  const place = useWrite({
    mutationFn: () =>
      dataOf(
        api.POST('/orders', {
          body: {
            shipping_address: '',
            shipping_city: '',
            shipping_zip: '',
            ...bodyOf(draft),
            ...customBody(custom, draft.custom, company),
          } as NewOrder,
          headers: { 'Idempotency-Key': key.current },
        }),
      ),
    onSuccess: async (order) => {
      clear();
      say(t('order.new.placed', { id: order.id }));
      await client.invalidateQueries({ queryKey: [company.id] });
      go(`orders/${order.id}`, { replace: true });
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status !== 0) key.current = newKey();
    },
  });
  const edit = (part: Parameters<typeof change>[0]): void => {
    if (place.isError && (!(place.error instanceof ApiError) || place.error.status !== 0)) place.reset();
    change(part);
  };
  const { fields, other } = problemsOf(place.error ?? calculation.error);
  const { list, options } = useStateList(draft.shipping_country.trim() || company.country);
  const input = (name: TextName, label: TextKey, help?: TextKey) => (
    <div key={name} data-field={name}>
      <TextInput
        label={t(label)}
        description={help === undefined ? undefined : t(help)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={fields[name]}
        value={draft[name]}
        autoComplete="off"
        list={name === 'shipping_state' ? list : undefined}
        onChange={(event) => edit({ [name]: event.currentTarget.value })}
      />
    </div>
  );
  const methods = calculation.data?.shipping_methods ?? [];
  return (
    <>
      <PageHeader title={t('order.new')} back={{ path: 'orders', text: t('nav.orders') }} />
      <DetailColumns
        side={
          <Summary
            calculation={calculation.error === null ? calculation.data : undefined}
            stale={calculation.isPlaceholderData || !calculation.isCurrent}
            refused={Object.keys(fields).length > 0}
            problem={other}
            ready={draft.lines.length > 0 && draft.customer !== null}
            busy={place.isPending}
            onPlace={can('orders:write') ? () => place.mutate() : null}
          />
        }
      >
        <Lines
          lines={draft.lines}
          error={fields.items}
          errorOf={(index) => fields[`items.${index}`]}
          onChange={(lines) => edit({ lines })}
        />
        <Buyer draft={draft} error={fields.customer_id} onChange={edit} />
        <Section title={t('order.ship_to')}>
          <div className={css.fields}>{ADDRESS.map(([name, label, help]) => input(name, label, help))}</div>
          {options}
        </Section>
        <Section title={t('order.new.reductions')}>
          <div className={css.fields}>
            {input('promo_code', 'order.promo')}
            {input('redeem_points', 'order.new.points')}
            <NativeSelect
              label={t('order.shipping')}
              error={fields.shipping_method_id}
              value={draft.shipping_method_id}
              data={[
                { value: '', label: t('order.new.first_method') },
                ...methods.map(({ id, name, cost }) => ({
                  value: String(id),
                  label: `${name}: ${format.money(cost)}`,
                })),
                ...(draft.shipping_method_id === '' || methods.some(({ id }) => String(id) === draft.shipping_method_id)
                  ? []
                  : [{ value: draft.shipping_method_id, label: `#${draft.shipping_method_id}` }]),
              ]}
              onChange={(event) => edit({ shipping_method_id: event.currentTarget.value })}
            />
          </div>
        </Section>
        <OrderFields
          fields={custom}
          values={draft.custom}
          errors={fields}
          onChange={(next) => edit({ custom: next })}
        />
      </DetailColumns>
    </>
  );
}

/** 128 random bits; crypto.randomUUID is missing where the page was loaded without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
