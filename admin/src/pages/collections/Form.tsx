import '../products/texts.ts';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { NO_OFFER, useCollectionNames } from '../../rules/offer.ts';
import { RuleBuilder } from '../../rules/RuleBuilder.tsx';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { FieldOf, InputProps, Value, Values } from '../../ui/form/values.ts';
import { useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { customFieldOf, customGroups, customValues, gathered, type WithCustom } from '../custom-fields/fields.tsx';
import { type CustomField, useCustomFields } from '../custom-fields/queries.ts';
import { SearchPreview, seoFields } from '../products/SearchResult.tsx';
import { ImageField } from './ImageField.tsx';
import { LiveCount } from './LiveCount.tsx';
import { ProductNames, ProductsField } from './ProductsField.tsx';
import { type Collection, useCollection, useNames, useProducts } from './queries.ts';

type NewCollection = BodyOf<'/collections', 'post'>;
type ChangedCollection = BodyOf<'/collections/{id}', 'patch'> & BodyOf<'/collections/{id}/products', 'put'>;

const SORTS = ['manual', 'newest', 'price_asc', 'price_desc', 'name_asc', 'best_selling'];
const NO_RULES = JSON.stringify({ operator: 'and', rules: [] });

/** The rules as the form keeps them: JSON. */
function Rules({ field, value, error, onChange }: InputProps) {
  const subject = useProducts();
  const collections = useCollectionNames();
  return (
    <>
      <RuleBuilder
        label={field.label}
        value={JSON.parse(String(value))}
        onChange={(next) => onChange(JSON.stringify(next))}
        subject={subject}
        offer={{ ...NO_OFFER, collections }}
        errors={error === undefined ? [] : [{ field: field.name, message: error }]}
        strict={error !== undefined}
      />
      <LiveCount rules={String(value)} />
    </>
  );
}

const parsed = (value: Value): unknown => JSON.parse(String(value));
const hasRules = (values: Values): boolean => values.kind === 'rules';

const details = (): FieldOf<Pick<NewCollection, 'name' | 'slug' | 'description' | 'image_media_id'>>[] => [
  { name: 'name', label: t('field.name'), type: 'text', required: true },
  { name: 'slug', label: t('product.slug'), type: 'text', help: t('product.slug.help') },
  { name: 'description', label: t('field.description'), type: 'rich' },
  {
    name: 'image_media_id',
    label: t('collection.image'),
    type: 'custom',
    custom: { Input: ImageField, bodyOf: (value) => (value === '' ? null : Number(value)) },
  },
];

const rules = (): FieldOf<Pick<NewCollection, 'rules'>>[] => [
  {
    name: 'rules',
    label: t('collection.rules'),
    type: 'custom',
    custom: { Input: Rules, bodyOf: parsed },
    when: hasRules,
  },
];

const newGroups = (): FieldGroup<NewCollection>[] => [
  {
    title: t('section.details'),
    fields: [
      ...details(),
      {
        name: 'kind',
        label: t('collection.kind'),
        type: 'choice',
        required: true,
        choices: ['manual', 'rules'].map((value) => ({ value, label: tOf('collection.kind', value) })),
        help: t('collection.kind.help'),
      },
    ],
  },
  { title: t('collection.rules'), fields: rules() },
];

const groupsOf = ({ kind }: Collection): FieldGroup<ChangedCollection>[] => [
  {
    title: t('section.details'),
    fields: [
      ...details(),
      {
        name: 'sort',
        label: t('collection.sort'),
        type: 'choice',
        required: true,
        choices: SORTS.filter((sort) => kind === 'manual' || sort !== 'manual').map((value) => ({
          value,
          label: tOf('collection.sort', value),
        })),
      },
    ],
  },
  kind === 'rules'
    ? { title: t('collection.rules'), fields: rules() }
    : {
        title: t('nav.products'),
        fields: [
          {
            name: 'product_ids',
            label: t('nav.products'),
            type: 'custom',
            custom: { Input: ProductsField, bodyOf: parsed },
          },
        ],
      },
];

const fieldOf = (name: string, _values: Values, whole: string): string =>
  /^(rules|product_ids)/.exec(name)?.[0] ?? customFieldOf(name, whole);

export function CreatePage() {
  return <Loaded query={useCustomFields('collection')}>{(fields) => <Create fields={fields} />}</Loaded>;
}

function Create({ fields }: { fields: CustomField[] }) {
  const { api, company } = useShop();
  const go = useGo();
  const shown: FieldGroup<WithCustom<NewCollection>>[] = [
    ...newGroups(),
    ...customGroups<NewCollection>(fields, company),
    { title: t('product.seo'), fields: seoFields() },
  ];
  return (
    <>
      <PageHeader title={t('collection.new')} back={{ path: 'collections', text: t('nav.collections') }} />
      <RecordForm<WithCustom<NewCollection>>
        draft="collections-new"
        groups={shown}
        initial={{
          name: '',
          slug: '',
          description: '',
          image_media_id: '',
          seo_title: '',
          seo_description: '',
          kind: 'manual',
          rules: NO_RULES,
          ...customValues(fields, {}, company),
        }}
        whole
        save={async (typed) => {
          const { slug, ...body } = gathered<NewCollection>(typed);
          // An empty slug is made from the name.
          const given = slug ? { ...body, slug } : body;
          const { id } = await dataOf(api.POST('/collections', { body: given }));
          return () => go(`collections/${id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="collections"
        submit={t('action.create')}
        fieldOf={fieldOf}
      >
        {(values) => <SearchPreview values={values} />}
      </RecordForm>
    </>
  );
}

export function EditPage() {
  const fields = useCustomFields('collection');
  return (
    <Loaded query={useCollection(useId())}>
      {(collection) => <Loaded query={fields}>{(loaded) => <Edit collection={collection} fields={loaded} />}</Loaded>}
    </Loaded>
  );
}

function valuesOf({
  name,
  slug,
  description,
  image_media_id,
  sort,
  kind,
  rules,
  seo_title,
  seo_description,
  product_ids = [],
}: Collection): Values {
  return {
    name,
    slug,
    description,
    image_media_id: image_media_id === null ? '' : String(image_media_id),
    seo_title: seo_title ?? '',
    seo_description: seo_description ?? '',
    sort,
    kind,
    rules: JSON.stringify(rules),
    product_ids: JSON.stringify(product_ids),
  };
}

function Edit({ collection, fields }: { collection: Collection; fields: CustomField[] }) {
  const { api, can, company } = useShop();
  const format = useFormat();
  const { data: names = new Map() } = useNames(collection);
  const params = { path: { id: String(collection.id) } };
  const readOnly = !can('products:write');
  const { name, status, product_count: n } = collection;
  const shown: FieldGroup<WithCustom<ChangedCollection>>[] = [
    ...groupsOf(collection),
    ...customGroups<ChangedCollection>(fields, company),
    { title: t('product.seo'), fields: seoFields() },
  ];
  const typed = (stored: Collection): Values => ({
    ...valuesOf(stored),
    ...customValues(fields, stored.custom, company),
  });
  return (
    <>
      <PageHeader title={name} back={{ path: 'collections', text: t('nav.collections') }}>
        <span className="dim" role="status">
          {status === 'updating' ? t('collection.updating') : t('collection.count', { n, shown: format.number(n) })}
        </span>
        {readOnly ? null : (
          <DeleteButton
            name={name}
            text={t('collection.delete.text')}
            list="collections"
            remove={() => dataOf(api.DELETE('/collections/{id}', { params }))}
          />
        )}
      </PageHeader>
      <ProductNames value={names}>
        <RecordForm<WithCustom<ChangedCollection>>
          draft={`collections-${collection.id}`}
          groups={shown}
          readOnly={readOnly}
          initial={typed(collection)}
          theirs={async () => {
            const stored = await dataOf(api.GET('/collections/{id}', { params }));
            return { values: typed(stored), revision: stored.revision };
          }}
          save={async (given, _values, over) => {
            const { product_ids, ...body } = gathered<ChangedCollection>(given);
            let headers = over;
            if (Object.keys(body).length > 0) {
              const saved = await dataOf(api.PATCH('/collections/{id}', { params, body, headers }));
              headers = { 'If-Match': `"${saved.revision}"` };
            }
            if (product_ids === undefined) return;
            await dataOf(api.PUT('/collections/{id}/products', { params, body: { product_ids }, headers }));
          }}
          done={{ text: t('form.saved') }}
          cancel="collections"
          submit={t('action.save')}
          fieldOf={fieldOf}
        >
          {(values) => <SearchPreview values={values} />}
        </RecordForm>
      </ProductNames>
    </>
  );
}
