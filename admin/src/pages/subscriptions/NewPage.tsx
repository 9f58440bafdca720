import { type BodyOf, dataOf } from '../../api/client.ts';
import { useGo, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { shippingFields } from '../../ui/form/addresses.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { CustomerInput } from '../customers/CustomerInput.tsx';
import { ProductInput } from './ProductInput.tsx';
import { useFrequencies } from './queries.ts';

type Body = BodyOf<'/subscriptions', 'post'>;

const groups = (frequencies: { id: number; name: string }[]): FieldGroup<Body>[] => [
  {
    title: t('section.details'),
    fields: [
      {
        name: 'customer_id',
        label: t('field.customer'),
        type: 'custom',
        required: true,
        custom: { Input: CustomerInput, bodyOf: (value) => Number(value) || null },
      },
      {
        name: 'product_id',
        label: t('field.product'),
        type: 'custom',
        required: true,
        custom: { Input: ProductInput, bodyOf: (value) => Number(value) || null },
      },
      { name: 'quantity', label: t('field.quantity'), type: 'number', half: true },
      {
        name: 'frequency_id',
        label: t('subscription.frequency'),
        type: 'choice',
        half: true,
        choices: frequencies.map(({ id, name }) => ({ value: String(id), label: name })),
        bodyOf: (value) => Number(value),
      },
      {
        name: 'start_date',
        label: t('subscription.start'),
        type: 'day',
        half: true,
        help: t('subscription.start.help'),
      },
    ],
  },
  {
    title: t('order.ship_to'),
    fields: [...shippingFields({ help: t('subscription.address.help') })],
  },
];

/** Starts a subscription for a customer. */
export function NewPage() {
  const { api } = useShop();
  const go = useGo();
  const [{ customer = '' }] = useSearchValues();
  return (
    <>
      <PageHeader title={t('subscription.new')} back={{ path: 'subscriptions', text: t('nav.subscriptions') }} />
      <Loaded query={useFrequencies()}>
        {({ rows }) => {
          const frequencies = rows.filter(({ active }) => active);
          return (
            <RecordForm
              draft="subscriptions-new"
              groups={groups(frequencies)}
              initial={{
                customer_id: customer,
                product_id: '',
                quantity: '1',
                frequency_id: String(frequencies[0]?.id ?? ''),
                start_date: '',
                shipping_address: '',
                shipping_zip: '',
                shipping_city: '',
                shipping_state: '',
                shipping_country: '',
              }}
              whole
              save={async (body) => {
                const made = await dataOf(api.POST('/subscriptions', { body: given(body) }));
                return () => go(`subscriptions/${made.id}`, { replace: true });
              }}
              done={{ text: t('form.created') }}
              cancel="subscriptions"
              submit={t('action.create')}
            />
          );
        }}
      </Loaded>
    </>
  );
}

/** Without the fields that are empty. */
function given(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as Body;
}
