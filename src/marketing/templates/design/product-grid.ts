import { element, type FullStyle, fontOf } from './elements.ts';
import type { DesignLeaf } from './schema.ts';
import { addressOf, attribute, plain } from './texts.ts';

/** The content of a cell, as HTML. */
interface Cell {
  name: string;
  /** The name as an attribute value. */
  alt: string;
  price: string;
  picture: string;
  url: string;
  /** Includes the part only if the value is present. */
  where(value: 'price' | 'picture' | 'url', inside: string): string;
}

/** A table whose cells stay next to each other on a phone. */
export function productGrid(block: DesignLeaf, style: FullStyle): string {
  const look = {
    'font-family': fontOf(style.font),
    'font-size': '15px',
    'line-height': '1.4',
    color: style.text,
    padding: '8px 16px',
    'table-layout': 'fixed',
    'css-class': 'tl-text',
  };
  return (block.source ?? 'chosen') === 'chosen' ? chosenGrid(block, style, look) : loopGrid(block, style, look);
}

type Look = Parameters<typeof element>[1];

function chosenGrid(block: DesignLeaf, style: FullStyle, look: Look): string {
  const perRow = block.per_row ?? 3;
  const cells = (block.products ?? []).map(({ name, price, picture, url }) => {
    const values = { price: plain(price ?? ''), picture: addressOf(picture, 'picture'), url: addressOf(url) };
    const where: Cell['where'] = (value, inside) => (values[value] === '' ? '' : inside);
    return cellOf({ name: plain(name), alt: attribute(name), ...values, where }, block, style);
  });
  if (cells.length === 0) return '';
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += perRow) rows.push(`<tr>${cells.slice(at, at + perRow).join('')}</tr>`);
  return element('mj-table', look, rows.join(''));
}

/** The values of products as Liquid expressions. */
const LOOPED: Cell = {
  name: '{{ product.name }}',
  alt: '{{ product.name }}',
  price: '{{ product.formatted_price | default: product.price }}',
  picture: '{{ product.image }}',
  url: '{{ product.url }}',
  where(value, inside) {
    const name = { price: 'price', picture: 'image', url: 'url' }[value];
    return `{% if product.${name} %}${inside}{% endif %}`;
  },
};

/**
 * The products are inserted for each recipient; without any, the block disappears. Uses only one loop over a list and linear filters,
 * so that it can be rendered in a batch with many others.
 */
function loopGrid(block: DesignLeaf, style: FullStyle, look: Look): string {
  const perRow = block.per_row ?? 3;
  const rest = `{% assign rest = ${perRow - 1} | minus: column %}{% unless rest == 0 %}<td colspan="{{ rest }}"></td>{% endunless %}`;
  const rows = [
    `{% for product in products limit: ${block.count ?? 6} %}{% assign column = forloop.index0 | modulo: ${perRow} %}`,
    `{% if column == 0 %}<tr>{% endif %}${cellOf(LOOPED, block, style)}`,
    `{% if forloop.last %}${rest}</tr>{% elsif column == ${perRow - 1} %}</tr>{% endif %}{% endfor %}`,
  ];
  return [
    element('mj-raw', {}, `{% assign products = ${sourceOf(block)} %}{% if products.first %}`),
    element('mj-table', look, rows.join('')),
    element('mj-raw', {}, '{% endif %}'),
  ].join('');
}

function sourceOf({ source, category, fallback }: DesignLeaf): string {
  const list =
    source === 'best_sellers' && category ? `best_sellers_by_category['${category}']` : (source ?? 'best_sellers');
  const other = fallback === 'best_sellers' ? ' | default: recommendations.best_sellers' : '';
  return `recommendations.${list}${other}`;
}

function cellOf(cell: Cell, block: DesignLeaf, style: FullStyle): string {
  const width = Math.floor(100 / (block.per_row ?? 3));
  const label = plain(block.text ?? '');
  const quiet = `color:${style.text};text-decoration:none`;
  const linked = (inside: string): string =>
    `${cell.where('url', `<a href="${cell.url}" style="${quiet}">`)}${inside}${cell.where('url', '</a>')}`;
  const image = `<img src="${cell.picture}" alt="${cell.alt}" width="100%" style="width:100%;height:auto;border:0;border-radius:4px" />`;
  const button = `display:inline-block;padding:9px 16px;border-radius:6px;background-color:${style.button};color:${style.button_text};font-weight:600;text-decoration:none`;
  const parts = [
    cell.where('picture', linked(image)),
    `<p style="margin:8px 0 0;font-weight:600">${linked(cell.name)}</p>`,
    cell.where('price', `<p style="margin:4px 0 0">${cell.price}</p>`),
    label === ''
      ? ''
      : cell.where(
          'url',
          `<p style="margin:10px 0 0"><a class="tl-button" href="${cell.url}" style="${button}">${label}</a></p>`,
        ),
  ];
  return `<td width="${width}%" style="padding:8px;vertical-align:top;text-align:center;width:${width}%">${parts.join('')}</td>`;
}
