import { type BodyOf, dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type Customer, nameOf, useCustomer } from './queries.ts';

const TEXTS = [
  'email',
  'first_name',
  'last_name',
  'phone',
  'shipping_address',
  'shipping_city',
  'shipping_state',
  'shipping_zip',
  'shipping_country',
] as const;

const groups = (): FieldGroup<BodyOf<'/customers', 'post'>>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'email', label: t('field.email'), type: 'email', required: true },
      { name: 'first_name', label: t('field.first_name'), type: 'text', half: true },
      { name: 'last_name', label: t('field.last_name'), type: 'text', half: true },
      { name: 'phone', label: t('field.phone'), type: 'text' },
      { name: 'accepts_marketing', label: t('customer.marketing.label'), type: 'switch' },
    ],
  },
  {
    title: t('section.address'),
    fields: [
      { name: 'shipping_address', label: t('field.address'), type: 'text' },
      { name: 'shipping_zip', label: t('field.zip'), type: 'text', half: true },
      { name: 'shipping_city', label: t('field.city'), type: 'text', half: true },
      { name: 'shipping_state', label: t('field.state'), type: 'text', half: true, statesOf: 'shipping_country' },
      { name: 'shipping_country', label: t('field.country'), type: 'text', half: true, help: t('field.country.help') },
    ],
  },
];

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('customer.new')} back={{ path: 'customers', text: t('nav.customers') }} />
      <RecordForm
        draft="customers-new"
        groups={groups()}
        initial={{ ...Object.fromEntries(TEXTS.map((name) => [name, ''])), accepts_marketing: false }}
        whole
        save={async (body) => {
          const made = await dataOf(api.POST('/customers', { body }));
          return () => go(`customers/${made.id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="customers"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useCustomer(useId())}>{(customer) => <Edit customer={customer} />}</Loaded>;
}

function Edit({ customer }: { customer: Customer }) {
  const { api } = useShop();
  const path = `customers/${customer.id}`;
  return (
    <>
      <PageHeader title={t('form.edit', { name: nameOf(customer) })} back={{ path, text: nameOf(customer) }} />
      <RecordForm
        draft={`customers-${customer.id}`}
        groups={groups()}
        initial={{
          ...Object.fromEntries(TEXTS.map((name) => [name, customer[name]])),
          accepts_marketing: customer.accepts_marketing,
        }}
        save={(body) => dataOf(api.PATCH('/customers/{id}', { params: { path: { id: customer.id } }, body }))}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
