import { type BodyOf, dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { shippingFields } from '../../ui/form/addresses.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { customFieldOf, customGroups, customValues, gathered, type WithCustom } from '../custom-fields/fields.tsx';
import { type CustomField, useCustomFields } from '../custom-fields/queries.ts';
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

type NewCustomer = BodyOf<'/customers', 'post'>;

const groups = (): FieldGroup<NewCustomer>[] => [
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
    fields: [...shippingFields()],
  },
];

export function CreatePage() {
  return <Loaded query={useCustomFields('customer')}>{(fields) => <Create fields={fields} />}</Loaded>;
}

function Create({ fields }: { fields: CustomField[] }) {
  const { api, company } = useShop();
  const go = useGo();
  const shown: FieldGroup<WithCustom<NewCustomer>>[] = [...groups(), ...customGroups<NewCustomer>(fields, company)];
  return (
    <>
      <PageHeader title={t('customer.new')} back={{ path: 'customers', text: t('nav.customers') }} />
      <RecordForm<WithCustom<NewCustomer>>
        draft="customers-new"
        groups={shown}
        initial={{
          ...Object.fromEntries(TEXTS.map((name) => [name, ''])),
          accepts_marketing: false,
          ...customValues(fields, {}, company),
        }}
        fieldOf={(root, _values, whole) => customFieldOf(root, whole)}
        whole
        save={async (body) => {
          const made = await dataOf(api.POST('/customers', { body: gathered(body) }));
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
  const fields = useCustomFields('customer');
  return (
    <Loaded query={useCustomer(useId())}>
      {(customer) => <Loaded query={fields}>{(loaded) => <Edit customer={customer} fields={loaded} />}</Loaded>}
    </Loaded>
  );
}

function Edit({ customer, fields }: { customer: Customer; fields: CustomField[] }) {
  const { api, company } = useShop();
  const shown: FieldGroup<WithCustom<NewCustomer>>[] = [...groups(), ...customGroups<NewCustomer>(fields, company)];
  const path = `customers/${customer.id}`;
  return (
    <>
      <PageHeader title={t('form.edit', { name: nameOf(customer) })} back={{ path, text: nameOf(customer) }} />
      <RecordForm<WithCustom<NewCustomer>>
        draft={`customers-${customer.id}`}
        groups={shown}
        fieldOf={(root, _values, whole) => customFieldOf(root, whole)}
        initial={{
          ...Object.fromEntries(TEXTS.map((name) => [name, customer[name]])),
          accepts_marketing: customer.accepts_marketing,
          ...customValues(fields, customer.custom, company),
        }}
        save={(body) => {
          const params = { path: { id: customer.id } };
          return dataOf(api.PATCH('/customers/{id}', { params, body: gathered(body) }));
        }}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
