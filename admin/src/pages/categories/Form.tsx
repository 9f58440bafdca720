import '../products/texts.ts';
import { useParams } from '@tanstack/react-router';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import { useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RecordForm } from '../../ui/RecordForm.tsx';
import { type Category, useCategory } from './queries.ts';

type NewCategory = BodyOf<'/categories', 'post'>;
type ChangedCategory = BodyOf<'/categories/{slug}', 'patch'>;

const back = () => ({ path: 'categories', text: t('nav.categories') });

const fields = (): FieldOf<ChangedCategory>[] => [
  { name: 'name', label: t('field.name'), type: 'text', required: true },
  {
    name: 'position',
    label: t('field.position'),
    type: 'number',
    half: true,
    required: true,
    help: t('category.position.help'),
  },
  { name: 'description', label: t('field.description'), type: 'long' },
];

const newFields = (): FieldOf<NewCategory>[] => {
  const [name, ...others] = fields();
  return [
    name as FieldOf<NewCategory>,
    { name: 'slug', label: t('product.slug'), type: 'text', help: t('category.slug.help') },
    ...(others as FieldOf<NewCategory>[]),
  ];
};

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('category.new')} back={back()} />
      <RecordForm<NewCategory>
        draft="categories-new"
        groups={[{ title: t('section.details'), fields: newFields() }]}
        initial={{ name: '', slug: '', position: '0', description: '' }}
        whole
        save={(body) => dataOf(api.POST('/categories', { body }))}
        done={{ path: 'categories', text: t('form.created') }}
        cancel="categories"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  const { slug = '' } = useParams({ strict: false }) as { slug?: string };
  return <Loaded query={useCategory(slug)}>{(category) => <Edit category={category} />}</Loaded>;
}

function valuesOf({ name, position, description }: Category): Values {
  return { name, position: String(position), description };
}

function Edit({ category }: { category: Category }) {
  const { api, can } = useShop();
  const format = useFormat();
  const { slug, name, product_count: n } = category;
  const params = { path: { slug } };
  const readOnly = !can('products:write');
  return (
    <>
      <PageHeader title={name} back={back()}>
        <Anchor path={`products?category=${slug}`}>{t('category.products', { n, shown: format.number(n) })}</Anchor>
        {readOnly ? null : (
          <DeleteButton
            name={name}
            text={t('category.delete.text')}
            list="categories"
            remove={() => dataOf(api.DELETE('/categories/{slug}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm<ChangedCategory>
        draft={`categories-${slug}`}
        groups={[{ title: `${t('product.slug')}: ${slug}`, fields: fields() }]}
        readOnly={readOnly}
        initial={valuesOf(category)}
        theirs={async () => {
          const stored = await dataOf(api.GET('/categories/{slug}', { params }));
          return { values: valuesOf(stored), revision: stored.revision };
        }}
        save={(body, _values, headers) => dataOf(api.PATCH('/categories/{slug}', { params, headers, body }))}
        done={{ path: 'categories', text: t('form.saved') }}
        cancel="categories"
        submit={t('action.save')}
      />
    </>
  );
}
