import { OF_PARENT, OF_VARIANT, type ProductKind } from '../../../../src/commerce/products/kinds.ts';
import './texts.ts';
import { dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { localMoment } from '../../ui/form/moments.ts';
import {
  type Field,
  type FieldContext,
  type FieldOf,
  initialValues,
  type Values,
  wordsOf,
} from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { CategoriesField } from '../categories/CategoriesField.tsx';
import { customFieldOf, customGroups, customValues, gathered, type WithCustom } from '../custom-fields/fields.tsx';
import { type CustomField, useCustomFields } from '../custom-fields/queries.ts';
import { PicturesField } from './pictures/PicturesField.tsx';
import { imagesOf, textOfPictures } from './pictures/value.ts';
import { kindOf, type Product, type ProductBody, useProduct, useUpdateProduct } from './queries.ts';
import { SearchPreview, seoFields } from './SearchResult.tsx';
import { createProduct, type NewProductBody, type WithVariantCustom } from './variants/new-product.ts';
import { OptionsField } from './variants/OptionsField.tsx';
import { formFieldOf, optionsOf, VARIANT_CUSTOM } from './variants/options.ts';

/** Also shown on the product's page. */
export const organisation = (): FieldOf<ProductBody>[] => [
  { name: 'sku', label: t('product.sku'), type: 'text', half: true },
  { name: 'barcode', label: t('product.barcode'), type: 'text', half: true },
  { name: 'tax_class', label: t('product.tax_class'), type: 'text', half: true, help: t('product.tax_class.help') },
  { name: 'weight_g', label: t('product.weight_g'), type: 'number', half: true },
  { name: 'slug', label: t('product.slug'), type: 'text', help: t('product.slug.help') },
  {
    name: 'categories',
    label: t('product.categories'),
    type: 'custom',
    help: t('category.find.help'),
    custom: { Input: CategoriesField, bodyOf: (value) => wordsOf(String(value)) },
  },
];

/** The stock of an existing product is changed by adjustments, which take account of concurrent sales. */
const groups = (isNew: boolean): FieldGroup<ProductBody>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      { name: 'price', label: t('field.price'), type: 'money', required: true, half: true },
      {
        name: 'compare_at_price',
        label: t('product.compare_at_price'),
        type: 'money',
        half: true,
        help: t('product.compare_at_price.help'),
      },
      { name: 'cost', label: t('product.cost'), type: 'money', half: true, help: t('product.cost.help') },
      {
        name: 'stock_qty',
        label: t('product.stock'),
        type: 'number',
        half: true,
        when: ({ track_stock }) => isNew && track_stock === true,
      },
      {
        name: 'low_stock_at',
        label: t('product.low_stock_at'),
        type: 'number',
        half: true,
        help: t('product.low_stock_at.help'),
      },
      { name: 'track_stock', label: t('product.track_stock'), type: 'switch', help: t('product.track_stock.help') },
      { name: 'description', label: t('field.description'), type: 'rich' },
      {
        name: 'status',
        label: t('field.status'),
        type: 'choice',
        half: true,
        required: true,
        choices: ['draft', 'active', 'archived'].map((value) => ({ value, label: tOf('status', value) })),
        help: t('product.status.help'),
      },
      {
        name: 'publish_at',
        label: t('product.publish_at'),
        type: 'moment',
        half: true,
        help: t('product.publish_at.help'),
        when: ({ status }) => status === 'draft',
      },
      {
        name: 'position',
        label: t('field.position'),
        type: 'number',
        half: true,
        when: () => !isNew,
      },
      { name: 'requires_shipping', label: t('product.requires_shipping'), type: 'switch' },
      { name: 'subscription_enabled', label: t('product.subscribable.label'), type: 'switch' },
    ],
  },
  {
    title: t('product.images'),
    fields: [
      {
        name: 'images',
        label: t('product.images'),
        type: 'custom',
        custom: { Input: PicturesField, bodyOf: imagesOf },
      },
    ],
  },
  {
    title: t('product.organisation'),
    fields: organisation(),
  },
];

/** Fields that products of a kind do not have of their own. */
const ABSENT: Readonly<Record<ProductKind, readonly string[]>> = {
  simple: ['position'],
  parent: ['position', ...OF_VARIANT],
  variant: OF_PARENT,
};

function groupsOf(kind: ProductKind): FieldGroup<ProductBody>[] {
  return groups(false).map(({ title, fields }) => ({
    title,
    fields: fields.filter(({ name }) => !ABSENT[kind].includes(name)),
  }));
}

const hasVariants = (values: Values): boolean => values.has_variants === true;

/** The form of a new product; where it has variants, they all begin with one price and stock. */
function newGroups(): FieldGroup<NewProductBody>[] {
  const own: readonly string[] = OF_VARIANT;
  const [details, ...others] = groups(true).map(({ title, fields }) => ({
    title,
    fields: fields.map((field) => {
      if (!own.includes(field.name)) return field;
      return { ...field, when: (values: Values) => !hasVariants(values) && (field.when?.(values) ?? true) };
    }),
  }));
  const variants: FieldGroup<NewProductBody> = {
    title: t('variants.title'),
    fields: [
      { name: 'has_variants', label: t('variants.has'), type: 'switch' },
      {
        name: 'options',
        label: t('variant.options'),
        type: 'custom',
        custom: { Input: OptionsField, bodyOf: optionsOf },
        when: hasVariants,
      },
      {
        name: 'price',
        label: t('field.price'),
        type: 'money',
        required: true,
        half: true,
        when: hasVariants,
      },
      {
        name: 'stock_qty',
        label: t('product.stock'),
        type: 'number',
        half: true,
        when: hasVariants,
      },
    ],
  };
  return [details!, variants, ...others];
}

const fieldsIn = (all: readonly { fields: Field[] }[]): Field[] => all.flatMap(({ fields }) => fields);

/** The custom values that all variants of a new product begin with. */
function variantGroups(
  fields: readonly CustomField[],
  context: FieldContext,
): FieldGroup<WithVariantCustom<NewProductBody>>[] {
  return customGroups<NewProductBody>(fields, context).map((group) => ({
    title: t('variants.custom'),
    fields: group.fields.map((field): Field => {
      const name = field.name.replace(/^custom\./, VARIANT_CUSTOM);
      return { ...field, name, when: hasVariants };
    }) as FieldOf<WithVariantCustom<NewProductBody>>[],
  }));
}

export function CreatePage() {
  const ofVariants = useCustomFields('variant');
  return (
    <Loaded query={useCustomFields('product')}>
      {(fields) => <Loaded query={ofVariants}>{(own) => <Create fields={fields} ofVariants={own} />}</Loaded>}
    </Loaded>
  );
}

function Create({ fields, ofVariants }: { fields: CustomField[]; ofVariants: CustomField[] }) {
  const { api, company } = useShop();
  const go = useGo();
  const [details, variants, ...others] = newGroups();
  const shown: FieldGroup<WithVariantCustom<NewProductBody>>[] = [
    details!,
    variants!,
    ...variantGroups(ofVariants, company),
    ...others,
    ...customGroups<NewProductBody>(fields, company),
    { title: t('product.seo'), fields: seoFields() },
  ];
  const start = { requires_shipping: true, track_stock: true, status: 'active' };
  return (
    <>
      <PageHeader title={t('product.new')} back={{ path: 'products', text: t('nav.products') }} />
      <RecordForm<WithVariantCustom<NewProductBody>>
        draft="products-new"
        groups={shown}
        initial={initialValues(fieldsIn(shown), start)}
        whole
        fieldOf={(root, _values, whole) => customFieldOf(formFieldOf(root, whole), whole)}
        save={async (body) => {
          const made = await createProduct(api, body);
          return () => go(`products/${made.id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="products"
        submit={t('action.create')}
      >
        {(values) => <SearchPreview values={values} />}
      </RecordForm>
    </>
  );
}

export function EditPage() {
  return <Loaded query={useProduct(useId())}>{(product) => <WithFields product={product} />}</Loaded>;
}

function valuesOf(product: Product): Values {
  const primary = product.images.filter(({ is_primary }) => is_primary);
  const others = product.images.filter(({ is_primary }) => !is_primary);
  return {
    ...initialValues([...fieldsIn(groupsOf(kindOf(product))), ...seoFields()], product),
    categories: product.categories.join(', '),
    images: textOfPictures([...primary, ...others].map(({ url, alt = '' }) => ({ url, alt }))),
  };
}

function WithFields({ product }: { product: Product }) {
  const fields = useCustomFields(product.variant_of === null ? 'product' : 'variant');
  return <Loaded query={fields}>{(loaded) => <Edit product={product} fields={loaded} />}</Loaded>;
}

function Edit({ product, fields }: { product: Product; fields: CustomField[] }) {
  const { api, company } = useShop();
  const update = useUpdateProduct(product.id);
  const path = `products/${product.id}`;
  const params = { path: { id: String(product.id) } };
  const shown: FieldGroup<WithCustom<ProductBody>>[] = [
    ...groupsOf(kindOf(product)),
    ...customGroups<ProductBody>(fields, company),
    ...(product.variant_of === null ? [{ title: t('product.seo'), fields: seoFields() }] : []),
  ];
  const typed = (stored: Product): Values => ({
    ...valuesOf(stored),
    publish_at: localMoment(stored.publish_at, company.time_zone),
    ...customValues(fields, stored.custom, company),
  });
  return (
    <>
      <PageHeader title={t('form.edit', { name: product.name })} back={{ path, text: product.name }} />
      <RecordForm<WithCustom<ProductBody>>
        draft={`products-${product.id}`}
        groups={shown}
        initial={typed(product)}
        theirs={async () => {
          const stored = await dataOf(api.GET('/products/{id}', { params }));
          return { values: typed(stored), revision: stored.revision };
        }}
        save={(body, _values, headers) => update(gathered(body), headers)}
        fieldOf={(root, _values, whole) => customFieldOf(root, whole)}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      >
        {product.variant_of === null ? (values) => <SearchPreview values={values} /> : null}
      </RecordForm>
    </>
  );
}
