import './texts.ts';
import { KINDS, PLACES } from '../../../../src/commerce/payments/methods/method.ts';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type PaymentMethod, usePaymentMethod } from './queries.ts';

type Typed = BodyOf<'/payment-methods/{id}', 'patch'>;

const LIST = 'payment-methods';

const waitsForMoney = ({ places, kind }: Values): boolean =>
  places === '' ? kind === 'bank_transfer' : places === 'when_paid';

/** A new method need not say when its orders are placed: that depends on its kind. */
const groups = (isNew: boolean): FieldGroup<Typed>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('payment.name.help') },
      {
        name: 'kind',
        label: t('field.type'),
        type: 'choice',
        choices: KINDS.map((value) => ({ value, label: tOf('payment.kind', value) })),
      },
      { name: 'description', label: t('field.description'), type: 'text', help: t('payment.description.help') },
      { name: 'instructions', label: t('payment.instructions'), type: 'long', help: t('payment.instructions.help') },
    ],
  },
  {
    title: t('payment.order'),
    fields: [
      {
        name: 'places',
        label: t('payment.places'),
        type: 'choice',
        help: t('payment.places.help'),
        choices: [
          ...(isNew ? [{ value: '', label: t('payment.places.default') }] : []),
          ...PLACES.map((value) => ({ value, label: tOf('payment.places', value) })),
        ],
      },
      {
        name: 'reserve_minutes',
        label: t('payment.reserve'),
        type: 'number',
        help: t('payment.reserve.help'),
        when: waitsForMoney,
      },
    ],
  },
  {
    title: t('payment.offered'),
    fields: [
      { name: 'min_total', label: t('payment.min_total'), type: 'money', half: true },
      { name: 'max_total', label: t('payment.max_total'), type: 'money', half: true },
      { name: 'position', label: t('field.position'), type: 'number', help: t('payment.position.help') },
      { name: 'staff_only', label: t('payment.staff_only'), type: 'switch', help: t('payment.staff_only.help') },
      { name: 'active', label: t('field.active'), type: 'switch', help: t('payment.active.help') },
    ],
  },
];

const EMPTY: Values = {
  name: '',
  kind: 'bank_transfer',
  description: '',
  instructions: '',
  places: '',
  reserve_minutes: '',
  min_total: '',
  max_total: '',
  position: '',
  staff_only: false,
  active: true,
};

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('payment.new')} back={{ path: LIST, text: t('nav.payment_methods') }} />
      <RecordForm<BodyOf<'/payment-methods', 'post'>>
        draft="payment-methods-new"
        groups={groups(true) as FieldGroup<BodyOf<'/payment-methods', 'post'>>[]}
        initial={EMPTY}
        whole
        save={(body) => dataOf(api.POST('/payment-methods', { body }))}
        done={{ path: LIST, text: t('form.created') }}
        cancel={LIST}
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={usePaymentMethod(useId())}>{(method) => <Edit method={method} />}</Loaded>;
}

function Edit({ method }: { method: PaymentMethod }) {
  const { api, can } = useShop();
  const params = { path: { id: method.id } };
  const amount = (value: number | null): string => (value === null ? '' : String(value));
  return (
    <>
      <PageHeader title={method.name} back={{ path: LIST, text: t('nav.payment_methods') }} />
      <RecordForm
        draft={`payment-methods-${method.id}`}
        groups={groups(false)}
        readOnly={!can('settings:write')}
        initial={{
          name: method.name,
          kind: method.kind,
          description: method.description ?? '',
          instructions: method.instructions ?? '',
          places: method.places,
          reserve_minutes: String(method.reserve_minutes),
          min_total: amount(method.min_total),
          max_total: amount(method.max_total),
          position: String(method.position),
          staff_only: method.staff_only,
          active: method.active,
        }}
        save={(body) => dataOf(api.PATCH('/payment-methods/{id}', { params, body }))}
        done={{ path: LIST, text: t('form.saved') }}
        cancel={LIST}
        submit={t('action.save')}
      />
    </>
  );
}
