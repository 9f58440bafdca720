import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { numberOf } from '../../ui/form/numbers.ts';
import type { Value, Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type Method, useMethod } from './queries.ts';

type Typed = Omit<BodyOf<'/shipping-methods', 'post'>, 'zone_id'>;

const isType =
  (...types: string[]) =>
  (values: Values): boolean =>
    types.includes(String(values.type));

const groups = (): FieldGroup<Typed>[] => [
  {
    title: t('method.title'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('method.name.help') },
      {
        name: 'type',
        label: t('field.type'),
        type: 'choice',
        choices: ['flat', 'free_over', 'by_subtotal'].map((value) => ({ value, label: tOf('method.type', value) })),
      },
      {
        name: 'cost',
        label: t('method.cost'),
        type: 'money',
        required: true,
        half: true,
        when: isType('flat', 'free_over'),
      },
      {
        name: 'free_over',
        label: t('method.over'),
        type: 'money',
        required: true,
        half: true,
        when: isType('free_over'),
      },
      {
        name: 'brackets',
        label: t('method.brackets'),
        type: 'words',
        required: true,
        help: t('method.brackets.help'),
        bodyOf: bracketsOf,
        when: isType('by_subtotal'),
      },
      { name: 'position', label: t('field.position'), type: 'number', help: t('method.position.help') },
      { name: 'active', label: t('field.active'), type: 'switch' },
    ],
  },
];

/** `0: 5.90` per line, in the API's form; the server reports an invalid line. */
function bracketsOf(value: Value): { from: number | string; cost: number | string }[] {
  const lines = String(value).split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [from = '', cost = ''] = line.split(':');
      return { from: numberOf(from.trim()), cost: numberOf(cost.trim()) };
    });
}

export function CreatePage() {
  const { api } = useShop();
  const zone = useId('zone');
  return (
    <>
      <PageHeader title={t('method.new')} back={{ path: 'shipping', text: t('nav.shipping') }} />
      <RecordForm
        draft={`methods-new-${zone}`}
        groups={groups()}
        initial={{ name: '', type: 'flat', cost: '', free_over: '', brackets: '', position: '', active: true }}
        whole
        save={(body) => dataOf(api.POST('/shipping-methods', { body: { ...body, zone_id: zone } }))}
        done={{ path: 'shipping', text: t('form.created') }}
        cancel="shipping"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useMethod(useId())}>{(method) => <Edit method={method} />}</Loaded>;
}

function Edit({ method }: { method: Method }) {
  const { api, can } = useShop();
  const params = { path: { id: method.id } };
  const readOnly = !can('settings:write');
  const amount = (value: number | null): string => (value === null ? '' : String(value));
  return (
    <>
      <PageHeader title={method.name} back={{ path: 'shipping', text: t('nav.shipping') }}>
        {readOnly ? null : (
          <DeleteButton
            name={method.name}
            text={t('method.delete.text')}
            list="shipping"
            remove={() => dataOf(api.DELETE('/shipping-methods/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`methods-${method.id}`}
        groups={groups()}
        readOnly={readOnly}
        initial={{
          name: method.name,
          type: method.type,
          cost: amount(method.cost),
          free_over: amount(method.free_over),
          brackets: (method.brackets ?? []).map(({ from, cost }) => `${from}: ${cost}`).join('\n'),
          position: String(method.position),
          active: method.active,
        }}
        save={(body) => dataOf(api.PATCH('/shipping-methods/{id}', { params, body }))}
        done={{ path: 'shipping', text: t('form.saved') }}
        cancel="shipping"
        submit={t('action.save')}
      />
    </>
  );
}
