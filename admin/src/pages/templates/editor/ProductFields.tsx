import { Button, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { useFormat } from '../../../ui/format.tsx';
import { ProductFinder } from '../../products/ProductFinder.tsx';
import { productLink, useBrand } from './brand.ts';
import type { DesignProduct } from './document.ts';
import css from './editor.module.css';
import { LiquidField } from './LiquidField.tsx';

interface ProductFieldsProps {
  product: DesignProduct | undefined;
  onChange(what: string, product: DesignProduct): void;
}

/** A product chosen from the shop, whose shown texts can be edited. */
export function ProductFields({ product, onChange }: ProductFieldsProps) {
  const set = (what: keyof DesignProduct) => (value: string) => onChange(what, { name: '', ...product, [what]: value });
  return (
    <>
      <ProductSearch onPick={(picked) => onChange('', picked)} />
      {product === undefined ? null : (
        <>
          <LiquidField label={t('field.name')} value={product.name} maxLength={255} onChange={set('name')} />
          <LiquidField
            label={t('editor.product.price')}
            value={product.price ?? ''}
            maxLength={50}
            onChange={set('price')}
          />
          <LiquidField
            label={t('editor.src')}
            value={product.picture ?? ''}
            maxLength={2_000}
            onChange={set('picture')}
          />
          <LiquidField label={t('editor.url')} value={product.url ?? ''} maxLength={2_000} onChange={set('url')} />
        </>
      )}
    </>
  );
}

const MOST = 12;

/** Products chosen from the shop, in their order. */
export function ProductsFields(props: { products: DesignProduct[]; onChange(products: DesignProduct[]): void }) {
  const { products, onChange } = props;
  return (
    <>
      <ul className={css.products}>
        {products.map((product, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a product may be shown twice
          <li key={i}>
            <span className="grow break">{product.name}</span>
            <TextInput
              size="xs"
              aria-label={t('editor.product.url', { name: product.name })}
              placeholder="https://"
              maxLength={2_000}
              value={product.url ?? ''}
              onChange={(event) => onChange(products.with(i, { ...product, url: event.currentTarget.value }))}
            />
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('editor.product.remove', { name: product.name })}
              onClick={() => onChange(products.toSpliced(i, 1))}
            >
              {t('editor.remove')}
            </Button>
          </li>
        ))}
      </ul>
      {products.length < MOST ? <ProductSearch onPick={(picked) => onChange([...products, picked])} /> : null}
    </>
  );
}

function ProductSearch({ onPick }: { onPick(product: DesignProduct): void }) {
  const format = useFormat();
  const brand = useBrand();
  return (
    <ProductFinder
      label={t('editor.product.search')}
      onChoose={(product) => {
        const picture = (product.images.find((one) => one.is_primary) ?? product.images[0])?.url;
        onPick({
          name: product.name,
          price: format.money(product.price),
          ...(picture === undefined ? {} : { picture }),
          ...productLink(brand, product.slug),
        });
      }}
    />
  );
}
