import { dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { type Field, initialValues, type Values, wordsOf } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { PicturesField } from './pictures/PicturesField.tsx';
import { imagesOf, textOfPictures } from './pictures/value.ts';
import { type Product, useProduct, useUpdateProduct } from './queries.ts';

/** Also shown on the product's page. */
export const organisation = (): Field[] => [
  { name: 'sku', label: t('product.sku'), type: 'text', half: true },
  { name: 'tax_class', label: t('product.tax_class'), type: 'text', half: true, help: t('product.tax_class.help') },
  { name: 'slug', label: t('product.slug'), type: 'text', help: t('product.slug.help') },
  { name: 'categories', label: t('product.categories'), type: 'words', help: t('product.categories.help') },
];

/** The stock of an existing product is changed by adjustments, which take account of concurrent sales. */
const groups = (isNew: boolean): FieldGroup[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      { name: 'price', label: t('field.price'), type: 'money', required: true, half: true },
      { name: 'stock_qty', label: t('product.stock'), type: 'number', half: true, when: () => isNew },
      { name: 'description', label: t('field.description'), type: 'long' },
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

const fieldsOf = (isNew: boolean): Field[] => groups(isNew).flatMap(({ fields }) => fields);

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('product.new')} back={{ path: 'products', text: t('nav.products') }} />
      <RecordForm
        draft="products-new"
        groups={groups(true)}
        initial={initialValues(fieldsOf(true))}
        whole
        save={async (body) => {
          const made = await dataOf(api.POST('/products', { body: body as never }));
          return () => go(`products/${made.id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="products"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useProduct(useId())}>{(product) => <Edit product={product} />}</Loaded>;
}

function valuesOf(product: Product): Values {
  const primary = product.images.filter(({ is_primary }) => is_primary);
  const others = product.images.filter(({ is_primary }) => !is_primary);
  return {
    ...initialValues(fieldsOf(false), product),
    categories: wordsOf(product.categories.join(',')).join(', '),
    images: textOfPictures([...primary, ...others].map(({ url, alt = '' }) => ({ url, alt }))),
  };
}

function Edit({ product }: { product: Product }) {
  const { api } = useShop();
  const update = useUpdateProduct(product.id);
  const path = `products/${product.id}`;
  const params = { path: { id: String(product.id) } };
  return (
    <>
      <PageHeader title={t('form.edit', { name: product.name })} back={{ path, text: product.name }} />
      <RecordForm
        draft={`products-${product.id}`}
        groups={groups(false)}
        initial={valuesOf(product)}
        theirs={async () => {
          const stored = await dataOf(api.GET('/products/{id}', { params }));
          return { values: valuesOf(stored), revision: stored.revision };
        }}
        save={(body, _values, headers) => update(body, headers)}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
