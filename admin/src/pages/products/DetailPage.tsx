import './texts.ts';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { hasTags } from '../../../../src/lib/html.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { pictureOf } from '../../ui/picture.ts';
import { Status } from '../../ui/Status.tsx';
import { useAuditFact } from '../../ui/words/audit.tsx';
import { CategoryNames } from '../categories/CategoryName.tsx';
import { customFacts } from '../custom-fields/fields.tsx';
import { useCustomFields } from '../custom-fields/queries.ts';
import { PreviewFrame } from '../templates/PreviewFrame.tsx';
import css from './DetailPage.module.css';
import { organisation } from './Form.tsx';
import { PriceHistory, StockMovements } from './History.tsx';
import { ProductName } from './ProductName.tsx';
import { usePriceText } from './price.ts';
import { type Product, useProduct, useUpdateProduct } from './queries.ts';
import { Stock } from './Stock.tsx';
import { StockByLocation } from './StockByLocation.tsx';
import { Variants } from './variants/Variants.tsx';

export function DetailPage() {
  return <Loaded query={useProduct(useId())}>{(product) => <ProductPage product={product} />}</Loaded>;
}

function ProductPage({ product }: { product: Product }) {
  const { can } = useShop();
  const priceText = usePriceText();
  const format = useFormat();
  const { data: fields = [] } = useCustomFields(product.variant_of === null ? 'product' : 'variant');
  const audit = useAuditFact(`product:${product.id}`);
  return (
    <>
      <PageHeader
        title={product.name}
        back={
          product.variant_of === null
            ? { path: 'products', text: t('nav.products') }
            : { path: `products/${product.variant_of}`, text: t('variants.title') }
        }
        badge={product.status === 'active' ? null : <Status value={product.status} />}
      >
        <Actions product={product} />
      </PageHeader>
      <DetailColumns
        side={
          <>
            {product.variant_of === null ? null : (
              <Section title={t('variant.options')}>
                <Facts facts={product.options.map(({ name, value = '' }) => [name, value] as const)} />
              </Section>
            )}
            <Section title={t('product.sale')}>
              <Facts
                facts={[
                  [t('field.price'), priceText(product, 'range')],
                  [t('product.stock'), <Stock key="stock" product={product} />],
                  [t('product.subscribable'), product.subscription_enabled ? t('choice.yes') : t('choice.no')],
                ]}
              />
            </Section>
            <Section title={t('section.details')}>
              <Facts
                facts={[
                  product.variant_of === null
                    ? null
                    : [t('field.product'), <ProductName key="parent" id={product.variant_of} />],
                  ...organisation().map(({ name, label }) => {
                    const isCategories = name === 'categories' && product.categories.length > 0;
                    const names = <CategoryNames key="categories" slugs={product.categories} />;
                    return [label, isCategories ? names : shownOf(product[name as keyof Product])] as const;
                  }),
                  product.publish_at === null
                    ? null
                    : [t('product.publish_at'), <Moment key="publish" at={product.publish_at} />],
                  ...customFacts(fields, product.custom, format),
                  [t('field.created'), <Moment key="created" at={product.created_at} />],
                  [t('field.changed'), <Moment key="changed" at={product.updated_at} />],
                  audit,
                ]}
              />
            </Section>
          </>
        }
      >
        <Section title={t('field.description')}>
          <Description text={product.description} />
        </Section>
        {product.images.length === 0 ? null : (
          <Section title={t('product.images')}>
            <ul className={css.images}>
              {product.images.map((image) => (
                <ProductImage key={image.url} {...image} />
              ))}
            </ul>
          </Section>
        )}
        {product.has_variants ? (
          <Variants product={product} />
        ) : (
          <>
            {can('inventory:read') ? <StockByLocation product={product} /> : null}
            <StockMovements product={product} />
            <PriceHistory product={product} />
          </>
        )}
      </DetailColumns>
    </>
  );
}

const FRAME_HEAD = '<style>body { font: 15px/1.6 system-ui, sans-serif; overflow-wrap: anywhere }</style>';

/** A value of the product as the list of facts shows it. */
function shownOf(value: Product[keyof Product]): string | null {
  if (typeof value === 'boolean') return value ? t('choice.yes') : t('choice.no');
  if (Array.isArray(value)) return value.join(', ');
  return value === null ? null : String(value);
}

/**
 * Imported descriptions are HTML. Like any that came over the API, it is shown in a frame in which no script runs, and without
 * the pictures of other hosts, which would learn who looks at them.
 */
function Description({ text }: { text: string }) {
  if (text === '') return <p className={`${css.text} dim`}>{t('product.no_description')}</p>;
  if (hasTags(text)) return <PreviewFrame title={t('field.description')} html={FRAME_HEAD + text} description />;
  return <p className={`${css.text} break`}>{text}</p>;
}

/** Pictures of other hosts are shown as links: the policy loads none, so that no other host learns who looks at them. */
function ProductImage({ url, alt, is_primary }: Product['images'][number]) {
  const shown = pictureOf(url, 'medium');
  return (
    <li className="break">
      <a href={url} target="_blank" rel="noreferrer">
        {shown === null ? url : <img src={shown} alt={alt ?? url} className={css.image} />}
      </a>
      {alt === undefined ? null : <span className={css.caption}>{alt}</span>}
      {is_primary ? <span className={`${css.caption} dim`}>{t('product.primary')}</span> : null}
    </li>
  );
}

/** What the button that changes the status says. */
const ACTION = { draft: 'product.publish', active: 'product.archive', archived: 'product.restore' } as const;

function Actions({ product }: { product: Product }) {
  const { company, can } = useShop();
  const client = useQueryClient();
  const update = useUpdateProduct(product.id);
  const archive = useWrite({
    mutationFn: (archived: boolean) => update({ archived }),
    onSuccess: (changed) => {
      say(changed.archived ? t('product.archived') : t('product.restored'));
      return client.invalidateQueries({ queryKey: [company.id, 'products'] });
    },
    onError: sayError,
  });
  if (!can('products:write')) return null;
  return (
    <>
      <Button variant="default" loading={archive.isPending} onClick={() => archive.mutate(!product.archived)}>
        {t(ACTION[product.status])}
      </Button>
      <Button component={Anchor} path={`products/${product.id}/edit`}>
        {t('action.edit')}
      </Button>
    </>
  );
}
