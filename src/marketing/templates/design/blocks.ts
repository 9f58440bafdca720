import { element, type FullStyle, fontOf, linkStyle } from './elements.ts';
import { productGrid } from './product-grid.ts';
import type { DesignLeaf, DesignProduct } from './schema.ts';
import { addressOf, attribute, formatted, plain } from './texts.ts';

const TEXT_STYLES = {
  title: { size: 30, line: 1.25, weight: 700 },
  heading: { size: 22, line: 1.3, weight: 700 },
  body: { size: 16, line: 1.55, weight: 400 },
  small: { size: 13, line: 1.5, weight: 400 },
};
const NETWORK_NAMES: Record<string, string> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  tiktok: 'TikTok',
  youtube: 'YouTube',
  x: 'X',
  linkedin: 'LinkedIn',
  pinterest: 'Pinterest',
  whatsapp: 'WhatsApp',
  threads: 'Threads',
  website: 'Website',
};

function text(block: DesignLeaf, style: FullStyle): string {
  const kind = block.style ?? 'body';
  const { size, line, weight } = TEXT_STYLES[kind];
  const font = fontOf(kind === 'title' || kind === 'heading' ? style.heading_font : style.font);
  const attributes = {
    align: block.align ?? 'left',
    color: block.color ?? style.text,
    'font-family': font,
    'font-size': `${size}px`,
    'line-height': String(line),
    'font-weight': weight,
    'container-background-color': block.background,
    padding: '8px 24px',
    'css-class': own(block),
  };
  return element('mj-text', attributes, formatted(block.text ?? '', linkStyle(style)));
}

/** In dark mode, a block that sets its own colors keeps them. */
const own = (block: DesignLeaf): string => (block.color || block.background ? '' : 'tl-text');

function picture(block: DesignLeaf): string {
  const src = addressOf(block.src, 'picture');
  if (src === '') return '';
  return element('mj-image', {
    src,
    alt: attribute(block.alt ?? ''),
    href: addressOf(block.url),
    align: block.align ?? 'center',
    width: block.width === undefined ? undefined : `${block.width}px`,
    padding: '8px 24px',
    'container-background-color': block.background,
  });
}

function button(block: Pick<DesignLeaf, 'text' | 'url' | 'align' | 'color' | 'background'>, style: FullStyle): string {
  const label = plain(block.text ?? '');
  if (label === '') return '';
  return element(
    'mj-button',
    {
      href: addressOf(block.url),
      align: block.align ?? 'center',
      'font-family': fontOf(style.font),
      'background-color': block.background ?? style.button,
      color: block.color ?? style.button_text,
      'font-size': '16px',
      'font-weight': 600,
      'border-radius': '6px',
      'inner-padding': '13px 26px',
      padding: '12px 24px',
    },
    label,
  );
}

/** Picture, name and price in one column. */
function productParts(product: DesignProduct, style: FullStyle, label: string): string {
  const { name, price, picture: src, url } = product;
  const href = addressOf(url);
  const image = addressOf(src, 'picture');
  const common = { align: 'center', color: style.text, 'font-family': fontOf(style.font), 'css-class': 'tl-text' };
  return [
    image === ''
      ? ''
      : element('mj-image', { src: image, alt: attribute(name), href, padding: '8px 12px', 'border-radius': '4px' }),
    element('mj-text', { ...common, 'font-size': '16px', 'font-weight': 600, padding: '4px 12px' }, plain(name)),
    price ? element('mj-text', { ...common, 'font-size': '15px', padding: '0 12px 4px' }, plain(price)) : '',
    label === '' ? '' : button({ text: label, url }, style),
  ].join('');
}

function product(block: DesignLeaf, style: FullStyle): string {
  return block.product === undefined ? '' : productParts(block.product, style, block.text ?? '');
}

function coupon(block: DesignLeaf, style: FullStyle): string {
  if (!block.code) return '';
  const font = { 'font-family': fontOf(style.font), color: block.color ?? style.text, align: 'center' };
  const code = `<span style="display:inline-block;padding:12px 20px;border:2px dashed ${block.color ?? style.button};border-radius:6px">{{ coupon.${block.code} }}</span>`;
  const about = block.text ? formatted(block.text, linkStyle(style)) : '';
  const shared = { ...font, 'css-class': own(block), 'container-background-color': block.background };
  return [
    about === '' ? '' : element('mj-text', { ...shared, 'font-size': '16px', padding: '8px 24px 0' }, about),
    element('mj-text', { ...shared, 'font-size': '20px', 'font-weight': 700, padding: '8px 24px' }, code),
  ].join('');
}

/** Links with names: icons of the networks would have to be loaded from another server. */
function social(block: DesignLeaf, style: FullStyle): string {
  const links = (block.links ?? []).flatMap(({ network, url }) => {
    const href = addressOf(url);
    return href === '' ? [] : [`<a href="${href}" style="${linkStyle(style)}">${NETWORK_NAMES[network]}</a>`];
  });
  if (links.length === 0) return '';
  const font = { 'font-family': fontOf(style.font), 'font-size': '14px', color: style.text, 'css-class': 'tl-text' };
  return element('mj-text', { ...font, align: block.align ?? 'center', padding: '8px 24px' }, links.join(' &middot; '));
}

function footer(block: DesignLeaf, style: FullStyle): string {
  const parts = [
    formatted(block.text ?? '', linkStyle(style)),
    formatted(block.address ?? '', linkStyle(style)),
    `<p style="margin:0"><a href="{{ unsubscribe_url }}" style="${linkStyle(style)}">${plain(block.unsubscribe || 'Unsubscribe')}</a></p>`,
  ];
  const font = { 'font-family': fontOf(style.font), 'font-size': '13px', 'line-height': '1.5' };
  const color = { color: block.color ?? style.text, 'container-background-color': block.background };
  return element(
    'mj-text',
    { ...font, ...color, align: block.align ?? 'center', padding: '16px 24px', 'css-class': own(block) },
    parts.join(''),
  );
}

/** The elements of a block inside a column; '' for one that has nothing to show yet. */
export function leaf(block: DesignLeaf, style: FullStyle): string {
  switch (block.type) {
    case 'text':
      return text(block, style);
    case 'picture':
      return picture(block);
    case 'button':
      return button(block, style);
    case 'product':
      return product(block, style);
    case 'product_grid':
      return productGrid(block, style);
    case 'coupon':
      return coupon(block, style);
    case 'social':
      return social(block, style);
    case 'divider':
      return element('mj-divider', {
        'border-color': block.color ?? '#d8dbe2',
        'border-width': '1px',
        padding: '12px 24px',
        'container-background-color': block.background,
      });
    case 'spacer':
      return element('mj-spacer', {
        height: `${block.height ?? 24}px`,
        'container-background-color': block.background,
      });
    case 'footer':
      return footer(block, style);
  }
}
