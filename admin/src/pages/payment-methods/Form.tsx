import './texts.ts';
import { CAPTURES, IMPORTED_KIND, KINDS, PLACES } from '../../../../src/commerce/payments/methods/method.ts';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type PaymentAccount, type PaymentMethod, usePaymentAccounts, usePaymentMethod } from './queries.ts';

type NewMethod = BodyOf<'/payment-methods', 'post'>;
type Change = BodyOf<'/payment-methods/{id}', 'patch'>;
/** The kind of a manual method is chosen, that of a service is typed. */
type Typed = Change & { service_kind?: string };

const LIST = 'payment-methods';

const isOfService = ({ account_id }: Values): boolean => account_id !== '';
const isManual = (values: Values): boolean => !isOfService(values);

const waitsForMoney = (values: Values): boolean =>
  isOfService(values) || (values.places === '' ? values.kind === 'bank_transfer' : values.places === 'when_paid');

/** How a method of a service is paid: by which account, by which of its methods, and when. */
function serviceFields(isNew: boolean, accounts: PaymentAccount[]): FieldOf<Typed>[] {
  return [
    {
      name: 'account_id',
      label: t('payment.account'),
      type: 'choice',
      help: t('payment.account.help'),
      bodyOf: Number,
      when: (values) => accounts.length > 0 && (isNew || isOfService(values)),
      choices: [
        ...(isNew ? [{ value: '', label: t('payment.account.manual') }] : []),
        ...accounts.map(({ id, name, mode }) => ({ value: String(id), label: `${name} (${tOf('status', mode)})` })),
      ],
    },
    {
      name: 'service_kind',
      label: t('payment.service_kind'),
      type: 'text',
      required: true,
      help: t('payment.service_kind.help'),
      when: isOfService,
    },
    {
      name: 'capture',
      label: t('payment.capture'),
      type: 'choice',
      help: t('payment.capture.help'),
      when: isOfService,
      choices: CAPTURES.map((value) => ({ value, label: tOf('payment.capture', value) })),
    },
  ];
}

/** A new method need not say when its orders are placed: that depends on its kind. */
const groups = (isNew: boolean, accounts: PaymentAccount[], kinds: readonly string[] = KINDS): FieldGroup<Typed>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('payment.name.help') },
      ...serviceFields(isNew, accounts),
      {
        name: 'kind',
        label: t('field.type'),
        type: 'choice',
        when: isManual,
        choices: kinds.map((value) => ({ value, label: tOf('payment.kind', value) })),
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
  account_id: '',
  kind: 'bank_transfer',
  service_kind: 'any',
  capture: 'at_once',
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

/** Errors of the kind are shown at the field that is visible. */
const fieldOf = (name: string, values: Values): string =>
  name === 'kind' && isOfService(values) ? 'service_kind' : name;

/** The body without the form's own field. */
function changeOf({ service_kind, ...body }: Typed): Change {
  return service_kind === undefined ? body : { ...body, kind: service_kind };
}

/** Accounts that can take payments, and the one that the method has. */
function useChoices(method: PaymentMethod | null): PaymentAccount[] {
  return (usePaymentAccounts().data ?? []).filter(({ id, provider, active }) =>
    method === null ? active : provider === method.provider && (active || id === method.account_id),
  );
}

export function CreatePage() {
  const { api } = useShop();
  const accounts = useChoices(null);
  const create = (typed: Typed) => {
    const provider = accounts.find(({ id }) => id === typed.account_id)?.provider ?? 'manual';
    // What the form requires is there; the server refuses what is not.
    const body = { ...changeOf(typed), provider } as NewMethod;
    return dataOf(api.POST('/payment-methods', { body }));
  };
  return (
    <>
      <PageHeader title={t('payment.new')} back={{ path: LIST, text: t('nav.payment_methods') }} />
      <RecordForm<Typed>
        draft="payment-methods-new"
        groups={groups(true, accounts)}
        initial={EMPTY}
        whole
        fieldOf={fieldOf}
        save={create}
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
  const accounts = useChoices(method);
  const isImported = method.kind === IMPORTED_KIND;
  const params = { path: { id: method.id } };
  const amount = (value: number | null): string => (value === null ? '' : String(value));
  return (
    <>
      <PageHeader title={method.name} back={{ path: LIST, text: t('nav.payment_methods') }} />
      <RecordForm<Typed>
        draft={`payment-methods-${method.id}`}
        groups={groups(false, accounts, isImported ? [IMPORTED_KIND] : KINDS)}
        readOnly={isImported || !can('settings:write')}
        initial={{
          name: method.name,
          account_id: method.account_id === null ? '' : String(method.account_id),
          kind: method.kind,
          service_kind: method.kind,
          capture: method.capture,
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
        fieldOf={fieldOf}
        save={(typed) => dataOf(api.PATCH('/payment-methods/{id}', { params, body: changeOf(typed) }))}
        done={{ path: LIST, text: t('form.saved') }}
        cancel={LIST}
        submit={t('action.save')}
      />
    </>
  );
}
