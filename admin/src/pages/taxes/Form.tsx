import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { percentText, type Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type TaxRule, useTaxRule } from './queries.ts';

const groups = (): FieldGroup<BodyOf<'/tax-rules', 'post'>>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('tax.name.help') },
      {
        name: 'rate',
        label: t('tax.rate_percent'),
        type: 'number',
        precise: true,
        percent: true,
        required: true,
        half: true,
      },
      { name: 'tax_class', label: t('product.tax_class'), type: 'text', half: true, help: t('tax.class.help') },
      { name: 'applies_to_shipping', label: t('tax.on_shipping.label'), type: 'switch' },
    ],
  },
  {
    title: t('tax.where'),
    fields: [
      {
        name: 'country',
        label: t('field.country'),
        type: 'pick',
        places: 'country',
        required: true,
        half: true,
      },
      {
        name: 'state',
        label: t('field.state'),
        type: 'pick',
        places: 'state',
        half: true,
        help: t('tax.state.help'),
        statesOf: 'country',
      },
      { name: 'zip_from', label: t('tax.zip_from'), type: 'text', half: true },
      { name: 'zip_to', label: t('tax.zip_to'), type: 'text', half: true },
    ],
  },
  {
    title: t('tax.stacking'),
    fields: [
      { name: 'priority', label: t('tax.priority'), type: 'number', help: t('tax.priority.help') },
      { name: 'compound', label: t('tax.compound'), type: 'switch' },
    ],
  },
];

const EMPTY: Values = {
  name: '',
  rate: '',
  tax_class: '',
  applies_to_shipping: false,
  country: '',
  state: '',
  zip_from: '',
  zip_to: '',
  priority: '1',
  compound: false,
};

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('tax.new')} back={{ path: 'taxes', text: t('nav.taxes') }} />
      <RecordForm
        draft="taxes-new"
        groups={groups()}
        initial={EMPTY}
        whole
        save={(body) => dataOf(api.POST('/tax-rules', { body }))}
        done={{ path: 'taxes', text: t('form.created') }}
        cancel="taxes"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useTaxRule(useId())}>{(rule) => <Edit rule={rule} />}</Loaded>;
}

function Edit({ rule }: { rule: TaxRule }) {
  const { api, can } = useShop();
  const params = { path: { id: rule.id } };
  const readOnly = !can('settings:write');
  return (
    <>
      <PageHeader title={rule.name} back={{ path: 'taxes', text: t('nav.taxes') }}>
        {readOnly ? null : (
          <DeleteButton
            name={rule.name}
            text={t('tax.delete.text')}
            list="taxes"
            remove={() => dataOf(api.DELETE('/tax-rules/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`taxes-${rule.id}`}
        groups={groups()}
        readOnly={readOnly}
        initial={{
          name: rule.name,
          rate: percentText(rule.rate),
          tax_class: rule.tax_class ?? '',
          applies_to_shipping: rule.applies_to_shipping,
          country: rule.country,
          state: rule.state ?? '',
          zip_from: rule.zip_from ?? '',
          zip_to: rule.zip_to ?? '',
          priority: String(rule.priority),
          compound: rule.compound,
        }}
        save={(body) => dataOf(api.PATCH('/tax-rules/{id}', { params, body }))}
        done={{ path: 'taxes', text: t('form.saved') }}
        cancel="taxes"
        submit={t('action.save')}
      />
    </>
  );
}
