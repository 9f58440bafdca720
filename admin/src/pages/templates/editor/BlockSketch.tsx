import { t, tOf } from '../../../i18n/i18n.ts';
import { type Block, DEFAULT_STYLE, type DesignProduct, type DesignStyle } from './document.ts';
import css from './editor.module.css';

const SIZES: Record<string, number> = { title: 26, heading: 20, body: 15, small: 12 };

/** An approximate picture of a block: the preview shows it exactly. */
export function BlockSketch({ block, style }: { block: Block; style: DesignStyle }) {
  const full = { ...DEFAULT_STYLE, ...style };
  const align = (block.align ?? (block.type === 'text' ? 'left' : 'center')) as 'left' | 'center' | 'right';
  const look = {
    textAlign: align,
    color: block.color ?? full.text,
    background: block.background,
    fontFamily: full.font,
  };
  switch (block.type) {
    case 'text': {
      const kind = block.style ?? 'body';
      const bold = kind === 'title' || kind === 'heading';
      const font = {
        fontFamily: bold ? full.heading_font : full.font,
        fontSize: SIZES[kind],
        fontWeight: bold ? 700 : 400,
      };
      return (
        <span className={css.sketch} style={{ ...look, ...font }}>
          {block.text || <Missing what={t('editor.missing.text')} />}
        </span>
      );
    }
    case 'picture':
      return (
        <span className={css.sketch} style={look}>
          <span className={css.picture}>{block.alt || block.src || t('editor.missing.picture')}</span>
        </span>
      );
    case 'button':
      return (
        <span className={css.sketch} style={{ ...look, background: undefined }}>
          <span
            className={css.button}
            style={{ background: block.background ?? full.button, color: block.color ?? full.button_text }}
          >
            {block.text || t('editor.missing.button')}
          </span>
        </span>
      );
    case 'product':
      return (
        <span className={css.sketch} style={look}>
          <Product product={block.product} />
          {block.text ? (
            <span className={css.button} style={{ background: full.button, color: full.button_text }}>
              {block.text}
            </span>
          ) : null}
        </span>
      );
    case 'product_grid':
      return (
        <span className={css.sketch} style={look}>
          {(block.source ?? 'chosen') !== 'chosen' ? (
            <Recommended block={block} />
          ) : block.products === undefined || block.products.length === 0 ? (
            <Missing what={t('editor.missing.products')} />
          ) : (
            <span className={css.grid} style={{ gridTemplateColumns: `repeat(${block.per_row ?? 3}, 1fr)` }}>
              {block.products.map((product, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a product may be shown twice
                <Product key={i} product={product} />
              ))}
            </span>
          )}
        </span>
      );
    case 'coupon':
      return (
        <span className={css.sketch} style={look}>
          {block.text ? <span className={css.line}>{block.text}</span> : null}
          <span className={css.code} style={{ borderColor: block.color ?? full.button }}>
            {block.code ? `${block.code}-XXXX` : t('editor.missing.coupon')}
          </span>
        </span>
      );
    case 'social':
      return (
        <span className={css.sketch} style={{ ...look, color: full.link }}>
          {(block.links ?? []).map(({ network }) => tOf('editor.network', network)).join(' · ') || (
            <Missing what={t('editor.missing.social')} />
          )}
        </span>
      );
    case 'divider':
      return (
        <span className={css.sketch}>
          <span className={css.divider} style={{ borderColor: block.color ?? '#d8dbe2' }} />
        </span>
      );
    case 'spacer':
      return (
        <span
          className={css.spacer}
          style={{ height: Math.max(12, block.height ?? 24), background: block.background }}
        />
      );
    case 'footer':
      return (
        <span className={css.sketch} style={{ ...look, fontSize: 12 }}>
          {block.text ? <span className={css.line}>{block.text}</span> : null}
          {block.address ? (
            <span className={css.line}>{block.address}</span>
          ) : (
            <Missing what={t('editor.missing.address')} />
          )}
          <span className={css.line} style={{ color: full.link }}>
            {block.unsubscribe || t('editor.unsubscribe.default')}
          </span>
        </span>
      );
    case 'columns':
      return <span className={css.caption}>{tOf('editor.block', 'columns')}</span>;
  }
}

/** Placeholders: the products depend on the recipient. */
function Recommended({ block }: { block: Block }) {
  const perRow = block.per_row ?? 3;
  return (
    <>
      <span className={css.line}>{tOf('editor.source', block.source ?? '')}</span>
      <span className={css.grid} style={{ gridTemplateColumns: `repeat(${perRow}, 1fr)` }}>
        {Array.from({ length: Math.min(block.count ?? 6, perRow) }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are alike
          <span key={i} className={css.picture}>
            {t('editor.recommended', { n: i + 1 })}
          </span>
        ))}
      </span>
    </>
  );
}

function Missing({ what }: { what: string }) {
  return <span className={css.missing}>{what}</span>;
}

function Product({ product }: { product: DesignProduct | undefined }) {
  if (product === undefined) return <Missing what={t('editor.missing.products')} />;
  return (
    <span className={css.product}>
      <span className={css.picture}>{product.picture ? product.name : t('editor.missing.picture')}</span>
      <strong>{product.name}</strong>
      {product.price ? <span>{product.price}</span> : null}
    </span>
  );
}
