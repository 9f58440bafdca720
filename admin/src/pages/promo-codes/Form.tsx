import './texts.ts';
import '../products/texts.ts';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { localMoment } from '../../ui/form/moments.ts';
import { numberOf } from '../../ui/form/numbers.ts';
import { type Values, wordsOf } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { CategoriesField } from '../categories/CategoriesField.tsx';
import { Coupons } from './Coupons.tsx';
import { CollectionsPick, idsOf, ProductsPick } from './Picks.tsx';
import { bundleOf, type PromoCode, TYPES, usePromoCode } from './queries.ts';

type PromoBody = BodyOf<'/promo-codes', 'post'>;
/** The body with the form's own fields for the value. */
type Typed = Omit<PromoBody, 'value'> & {
  percent: number;
  amount: number;
  buy: number;
  get: number;
  percent_off: number;
};

const isType =
  (...types: string[]) =>
  (values: Values): boolean =>
    types.includes(String(values.type));
const isScope =
  (scope: string) =>
  (values: Values): boolean =>
    values.scope === scope && values.type !== 'free_shipping';

const isTemplate = (values: Values): boolean => values.is_template === true;

const groups = (): FieldGroup<Typed>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'code', label: t('promo.code'), type: 'text', required: true, help: t('promo.code.help') },
      {
        name: 'type',
        label: t('field.type'),
        type: 'choice',
        choices: TYPES.map((value) => ({ value, label: tOf('promo.type', value) })),
      },
      {
        name: 'percent',
        label: t('promo.percent'),
        type: 'number',
        precise: true,
        required: true,
        when: isType('percent'),
      },
      { name: 'amount', label: t('promo.amount'), type: 'money', required: true, when: isType('fixed') },
      { name: 'buy', label: t('promo.buy'), type: 'number', required: true, half: true, when: isType('buy_x_get_y') },
      { name: 'get', label: t('promo.get'), type: 'number', required: true, half: true, when: isType('buy_x_get_y') },
      {
        name: 'percent_off',
        label: t('promo.percent_off'),
        type: 'number',
        precise: true,
        when: isType('buy_x_get_y'),
      },
      { name: 'active', label: t('field.active'), type: 'switch' },
      { name: 'is_template', label: t('promo.template'), type: 'switch', help: t('promo.template.help') },
      { name: 'valid_days', label: t('promo.valid_days'), type: 'number', when: isTemplate },
    ],
  },
  {
    title: t('promo.limits'),
    fields: [
      {
        name: 'scope',
        label: t('promo.scope'),
        type: 'choice',
        choices: ['order', 'products', 'categories', 'collections'].map((value) => ({
          value,
          label: tOf('promo.scope', value),
        })),
        when: isType('percent', 'fixed', 'buy_x_get_y'),
      },
      {
        name: 'product_ids',
        label: t('nav.products'),
        type: 'custom',
        custom: { Input: ProductsPick, bodyOf: idsOf },
        when: isScope('products'),
      },
      {
        name: 'collection_ids',
        label: t('nav.collections'),
        type: 'custom',
        custom: { Input: CollectionsPick, bodyOf: idsOf },
        when: isScope('collections'),
      },
      {
        name: 'category_slugs',
        label: t('product.categories'),
        type: 'custom',
        help: t('category.find.help'),
        custom: { Input: CategoriesField, bodyOf: (value) => wordsOf(String(value)) },
        when: isScope('categories'),
      },
      { name: 'min_subtotal', label: t('promo.min_subtotal'), type: 'money', half: true },
      {
        name: 'max_discount',
        label: t('promo.max_discount'),
        type: 'money',
        half: true,
        when: isType('percent', 'fixed', 'buy_x_get_y'),
      },
      { name: 'usage_limit', label: t('promo.usage_limit'), type: 'number', half: true },
      { name: 'per_customer_limit', label: t('promo.per_customer'), type: 'number', half: true },
      { name: 'starts_at', label: t('promo.starts'), type: 'moment', half: true },
      { name: 'ends_at', label: t('promo.ends'), type: 'moment', half: true },
      { name: 'first_order_only', label: t('promo.first_only'), type: 'switch' },
    ],
  },
];

const EMPTY: Values = {
  code: '',
  type: 'percent',
  percent: '',
  amount: '',
  buy: '',
  get: '',
  percent_off: '',
  active: true,
  is_template: false,
  valid_days: '',
  scope: 'order',
  product_ids: '[]',
  collection_ids: '[]',
  category_slugs: '',
  min_subtotal: '',
  max_discount: '',
  usage_limit: '',
  per_customer_limit: '',
  starts_at: '',
  ends_at: '',
  first_order_only: false,
};

/** The form's own fields for the value are combined into `value`, which is sent with its type. */
function bodyOf({ percent, amount, buy, get, percent_off, ...body }: Typed, values: Values): PromoBody {
  const isValued = [body.type, percent, amount, buy, get, percent_off].some((one) => one !== undefined);
  return isValued ? { ...body, type: values.type as PromoBody['type'], value: valueBody(values) } : body;
}

function valueBody(values: Values): unknown {
  const number = (name: string): unknown => numberOf(String(values[name]).trim(), name !== 'amount');
  if (values.type === 'percent') return number('percent');
  if (values.type === 'fixed') return number('amount');
  if (values.type === 'free_shipping') return null;
  return {
    buy: number('buy'),
    get: number('get'),
    ...(values.percent_off === '' ? {} : { percent_off: number('percent_off') }),
  };
}

/** An error of `value` is shown at the field for the type. */
const valueField = (values: Values): string =>
  values.type === 'percent' ? 'percent' : values.type === 'fixed' ? 'amount' : 'buy';

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('promo.new')} back={{ path: 'promo-codes', text: t('nav.promo_codes') }} />
      <RecordForm
        draft="promo-codes-new"
        groups={groups()}
        initial={EMPTY}
        whole
        fieldOf={(name, values) => (name === 'value' ? valueField(values) : name)}
        save={(body, values) => dataOf(api.POST('/promo-codes', { body: bodyOf(body, values) }))}
        done={{ path: 'promo-codes', text: t('form.created') }}
        cancel="promo-codes"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={usePromoCode(useId())}>{(code) => <Edit code={code} />}</Loaded>;
}

function Edit({ code }: { code: PromoCode }) {
  const { api, can, company } = useShop();
  const text = (value: number | null): string => (value === null ? '' : String(value));
  const bundle = bundleOf(code);
  const params = { path: { id: code.id } };
  const readOnly = !can('settings:write');
  return (
    <>
      <PageHeader title={code.code} back={{ path: 'promo-codes', text: t('nav.promo_codes') }}>
        {readOnly ? null : (
          <DeleteButton
            name={code.code}
            text={t('promo.delete.text')}
            list="promo-codes"
            remove={() => dataOf(api.DELETE('/promo-codes/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`promo-codes-${code.id}`}
        groups={groups()}
        readOnly={readOnly}
        initial={{
          code: code.code,
          type: code.type,
          percent: code.type === 'percent' ? String(code.value) : '',
          amount: code.type === 'fixed' ? String(code.value) : '',
          buy: bundle === null ? '' : String(bundle.buy),
          get: bundle === null ? '' : String(bundle.get),
          percent_off: bundle?.percent_off === undefined ? '' : String(bundle.percent_off),
          active: code.active,
          is_template: code.is_template,
          valid_days: text(code.valid_days),
          scope: code.scope,
          product_ids: JSON.stringify(code.product_ids),
          collection_ids: JSON.stringify(code.collection_ids),
          category_slugs: code.category_slugs.join(', '),
          min_subtotal: text(code.min_subtotal),
          max_discount: text(code.max_discount),
          usage_limit: text(code.usage_limit),
          per_customer_limit: text(code.per_customer_limit),
          starts_at: localMoment(code.starts_at, company.time_zone),
          ends_at: localMoment(code.ends_at, company.time_zone),
          first_order_only: code.first_order_only,
        }}
        fieldOf={(name, values) => (name === 'value' ? valueField(values) : name)}
        save={(body, values) => dataOf(api.PATCH('/promo-codes/{id}', { params, body: bodyOf(body, values) }))}
        done={{ path: 'promo-codes', text: t('form.saved') }}
        cancel="promo-codes"
        submit={t('action.save')}
      />
      {code.is_template ? <Coupons template={code} /> : null}
    </>
  );
}
