import { leaf } from './blocks.ts';
import { element, type FullStyle, fontOf } from './elements.ts';
import type { Design, DesignBlock } from './schema.ts';

export const DEFAULT_STYLE: FullStyle = {
  font: 'Arial',
  heading_font: 'Arial',
  width: 600,
  background: '#f2f3f7',
  canvas: '#ffffff',
  text: '#22252b',
  link: '#2f4bbf',
  button: '#2f4bbf',
  button_text: '#ffffff',
};

/** Styles for mail programs in dark mode: surfaces, and texts without colors of their own. */
const DARK = `@media (prefers-color-scheme: dark) {
  .tl-page, .tl-page > div { background-color: #16181d !important; }
  .tl-canvas, .tl-canvas > table { background: #1f2229 !important; background-color: #1f2229 !important; }
  .tl-text div, .tl-text table, .tl-text a:not(.tl-button) { color: #eceef3 !important; }
}`;

/**
 * Compiles a design to MJML that the MJML compiler always accepts. A pure function. Texts are escaped; their Liquid is kept.
 * See docs/design/templates.md.
 */
export function compileDesign(design: Design): string {
  const style: FullStyle = { ...DEFAULT_STYLE, ...design.style };
  const head = [
    '<mj-attributes>',
    element('mj-all', { 'font-family': fontOf(style.font) }),
    '</mj-attributes>',
    '<mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>',
    `<mj-style>${DARK}</mj-style>`,
  ].join('');
  const body = element(
    'mj-body',
    { width: `${style.width}px`, 'background-color': style.background, 'css-class': 'tl-page' },
    design.blocks.map((block) => section(block, style)).join('\n'),
  );
  return `<mjml><mj-head>${head}</mj-head>\n${body}</mjml>`;
}

function section(block: DesignBlock, style: FullStyle): string {
  const attributes = { 'background-color': block.background ?? style.canvas, padding: '0', 'css-class': 'tl-canvas' };
  const { columns = [], type } = block;
  if (type !== 'columns') {
    const inside = leaf({ ...block, type }, style);
    return inside === '' ? '' : element('mj-section', attributes, element('mj-column', {}, inside));
  }
  const inside = columns.map(({ blocks }) => blocks.map((one) => leaf(one, style)).join('') || null);
  if (inside.every((column) => column === null)) return '';
  const widths = widthsOf(columns.map(({ width }) => width));
  return element(
    'mj-section',
    attributes,
    inside
      .map((column, i) => element('mj-column', { width: widths[i] }, column ?? '<mj-spacer height="1px"></mj-spacer>'))
      .join(''),
  );
}

/** Percentages that add up to 100; undefined for equal columns. */
function widthsOf(given: (number | undefined)[]): (string | undefined)[] {
  if (given.every((width) => width === undefined)) return given.map(() => undefined);
  const rest = given.filter((width) => width === undefined).length;
  const taken = given.reduce<number>((sum, width) => sum + (width ?? 0), 0);
  const each = rest === 0 ? 0 : Math.max(10, (100 - taken) / rest);
  const sum = taken + each * rest;
  return given.map((width) => `${Math.round((10_000 * (width ?? each)) / sum) / 100}%`);
}
