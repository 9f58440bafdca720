import fc from 'fast-check';
import mjml2html from 'mjml';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../../lib/threads/processor-time.ts';
import { BODY_LIMITS } from '../../../messaging/compose/liquid/limits.ts';
import { isVetted, type JsonValue, renderTemplate, syntaxFailure } from '../../../messaging/compose/liquid/render.ts';
import { liquidTexts } from './check.ts';
import { compileDesign } from './compile.ts';
import { type Design, type DesignLeaf, FONTS, LEAF_TYPES, NETWORKS, PRODUCT_SOURCES } from './schema.ts';
import { addressOf, formatted, plain } from './texts.ts';

const toHtml = (mjml: string) => mjml2html(mjml, { fonts: {}, ignoreIncludes: true, validationLevel: 'soft' });

const HOSTILE = [
  ...['</mj-text><mj-raw><script>alert(1)</script></mj-raw>', '"><img src=x onerror=alert(1)>', '<!--', '-->', ']]>'],
  ...['<mj-include path="./package.json" />', '{{ "</mj-text><script>" }}', '{{ \'a\' | append: "<b>" }}', '{{', '}}'],
  ...[
    '{% raw %}',
    '{% comment %}',
    '{{ "}}" }}',
    '{',
    '%}',
    '{{ contact.first_name | default: "there" }}',
    '&lt;',
    '\u0000',
  ],
  ...[
    '{% if contact.n < 2 %}**few**{% endif %}',
    '[x](javascript:alert(1))',
    '[y](https://x.example/?a=1&b="2")',
    '\ue000',
  ],
];
const text = fc.oneof(
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.constantFrom(...HOSTILE),
  fc
    .array(fc.constantFrom(...HOSTILE, 'word ', '\n\n', '- ', '**', '*', '[', '](', ')'), { maxLength: 8 })
    .map((all) => all.join('')),
);
const url = fc.oneof(
  text,
  fc.webUrl(),
  fc.constantFrom('{{ unsubscribe_url }}', 'mailto:a@b.example', 'JaVaScript:alert(1)'),
);
const color = fc.constantFrom('#000000', '#Ff8800');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const product = fc.record({ name: text, price: maybe(text), picture: maybe(url), url: maybe(url) });
const leafFields = {
  text: maybe(text),
  style: maybe(fc.constantFrom('title', 'heading', 'body', 'small')),
  align: maybe(fc.constantFrom('left', 'right')),
  color: maybe(color),
  background: maybe(color),
  url: maybe(url),
  src: maybe(url),
  alt: maybe(text),
  width: maybe(fc.integer({ min: 16, max: 800 })),
  height: maybe(fc.integer({ min: 1, max: 200 })),
  product: maybe(product),
  products: maybe(fc.array(product, { maxLength: 12 })),
  per_row: maybe(fc.integer({ min: 1, max: 4 })),
  source: maybe(fc.constantFrom(...PRODUCT_SOURCES)),
  category: maybe(fc.constantFrom('', 'green-tea')),
  count: maybe(fc.integer({ min: 1, max: 12 })),
  fallback: maybe(fc.constantFrom('none', 'best_sellers')),
  code: maybe(fc.constantFrom('', 'SUMMER_1')),
  links: maybe(fc.array(fc.record({ network: fc.constantFrom(...NETWORKS), url }), { maxLength: 4 })),
  address: maybe(text),
  unsubscribe: maybe(text),
};
const leaf = fc.record({ type: fc.constantFrom(...LEAF_TYPES), ...leafFields });
const column = fc.record({ width: maybe(fc.integer({ min: 10, max: 90 })), blocks: fc.array(leaf, { maxLength: 4 }) });
const columns = fc.record({
  type: fc.constant('columns' as const),
  columns: maybe(fc.array(column, { minLength: 1, maxLength: 4 })),
  background: maybe(color),
});
const design = fc.record({
  style: maybe(fc.record({ font: fc.constantFrom(...FONTS), width: fc.integer({ min: 400, max: 800 }), text: color })),
  blocks: fc.array(fc.oneof(leaf, columns), { maxLength: 8 }),
}) as fc.Arbitrary<Design>;

/** Start tags by name. */
function tagsOf(markup: string): string[] {
  return [...markup.matchAll(/<([a-z][\w-]*)/gi)].map((match) => match[1]!.toLowerCase());
}

describe('a design', () => {
  test('of any blocks compiles to MJML without a complaint, and no text becomes an element', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(design, async (document) => {
        const mjml = compileDesign(document);
        const { html, errors } = await toHtml(mjml);
        expect(errors).toEqual([]);
        expect(tagsOf(mjml).filter((tag) => ['script', 'mj-include', 'b', 'iframe'].includes(tag))).toEqual([]);
        expect(html).not.toMatch(/href="\s*javascript:|<script|onerror=[^;]*>(?<=<img[^>]*)/i);
        const texts = liquidTexts(document).map((one) => one.text);
        if (texts.some((one) => syntaxFailure(one) !== null)) return;
        const context = {
          contact: { first_name: '<i>Ann</i>', n: 1 },
          recommendations: {
            best_sellers: [
              { name: '<b>Mug</b>', price: 1, url: 'https://x.example' },
              { name: 'Tea', price: 2, url: '' },
            ],
          },
          coupon: {},
          unsubscribe_url: 'https://u.example',
        };
        const rendered = renderTemplate(html, context, {
          html: true,
          limits: { milliseconds: 1_000, memory: 10_000_000 },
        });
        expect(rendered).toMatchObject({ ok: true });
        expect(rendered.ok && /<(script|b|i)[\s>]/i.test(rendered.text)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test('keeps the Liquid of its texts, and its values come out escaped', async () => {
    const { html } = await toHtml(
      compileDesign({
        blocks: [
          { type: 'text', text: 'Hi {{ contact.first_name | default: "there" }}, **{{ contact.last_name }}** & co' },
          {
            type: 'button',
            text: 'Go',
            url: 'https://x.example/?q={{ contact.first_name | default: "a" | url_encode }}&b=1',
          },
          { type: 'coupon', code: 'SUMMER' },
          { type: 'footer', address: 'Rowan & Thistle\nMill Lane 2', unsubscribe: 'Leave' },
        ],
      }),
    );
    const context = {
      contact: { last_name: '<Lee>' },
      coupon: { SUMMER: 'SUMMER-1' },
      unsubscribe_url: 'https://u.example',
    };
    const rendered = renderTemplate(html, context, { html: true, limits: BODY_LIMITS });
    if (!rendered.ok) throw new Error(rendered.error);
    expect(rendered.text).toContain('Hi there, <strong>&lt;Lee&gt;</strong> &amp; co');
    expect(rendered.text).toMatch(/href="https:\/\/x\.example\/\?q=a&(amp;)?b=1"/);
    expect(rendered.text).toContain('SUMMER-1');
    expect(rendered.text).toContain('Rowan &amp; Thistle<br />Mill Lane 2');
    expect(rendered.text).toMatch(/<a href="https:\/\/u\.example"[^>]*>Leave<\/a>/);
  });

  test('shows chosen products in rows, and can be sent in bulk', async () => {
    const names = ['One', 'Two', 'Three & {{ contact.n }}'];
    const products = names.map((name) => ({ name, picture: 'https://x.example/p.png', url: 'https://x.example' }));
    const { html } = await toHtml(
      compileDesign({ blocks: [{ type: 'product_grid', products, per_row: 2, text: 'Buy' }] }),
    );
    expect(isVetted(html, true)).toBe(true);
    const rendered = renderTemplate(html, { contact: { n: '<1>' } }, { html: true, limits: BODY_LIMITS });
    if (!rendered.ok) throw new Error(rendered.error);
    expect(rendered.text.match(/<tr><td width="50%"/g)).toHaveLength(2);
    expect(rendered.text.match(/>Buy<\/a>/g)).toHaveLength(3);
    expect(rendered.text).toContain('alt="Three &amp; &lt;1&gt;"');
  });
});

describe('a grid of products that are put in for each recipient', () => {
  const product = (n: number) => ({
    id: String(n),
    name: `Tea & <${n}>`,
    price: 7.5,
    formatted_price: '7.50 EUR',
    image: `https://x.example/${n}.png`,
    url: `https://x.example/p/${n}?a=1&b=2`,
  });
  const list = (count: number) => Array.from({ length: count }, (_, i) => product(i + 1));
  const shown = async (block: Partial<DesignLeaf>, recommendations: JsonValue, inColumns = false) => {
    const grid: DesignLeaf = { type: 'product_grid', ...block };
    const blocks: Design['blocks'] = inColumns ? [{ type: 'columns', columns: [{ blocks: [grid] }] }] : [grid];
    const { html, errors } = await toHtml(compileDesign({ blocks }));
    expect(errors).toEqual([]);
    expect(isVetted(html, true)).toBe(true);
    const rendered = renderTemplate(html, { recommendations }, { html: true, limits: BODY_LIMITS });
    if (!rendered.ok) throw new Error(rendered.error);
    return rendered.text;
  };
  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr>(<td width=.*?)<\/tr>/gs)].map(([, row]) => row!.match(/<td /g)!.length);
  const namesOf = (html: string) => [...html.matchAll(/&lt;(\d+)&gt;<\/a><\/p>/g)].map(([, n]) => Number(n));

  test('has rows of them, each with picture, name, price and button', async () => {
    const html = await shown({ source: 'best_sellers', per_row: 2, count: 5, text: 'Buy' }, { best_sellers: list(8) });
    expect(namesOf(html)).toEqual([1, 2, 3, 4, 5]);
    // The last row is padded.
    expect(rowsOf(html)).toEqual([2, 2, 2]);
    expect(html).toContain('<td colspan="1"></td></tr>');
    expect(html.match(/>Buy<\/a>/g)).toHaveLength(5);
    expect(html).toContain('src="https://x.example/1.png" alt="Tea &amp; &lt;1&gt;"');
    expect(html).toContain('href="https://x.example/p/1?a=1&amp;b=2"');
    expect(html).toContain('7.50 EUR');
    expect(rowsOf(await shown({ source: 'bought_together' }, { bought_together: list(7) }))).toEqual([3, 3]);
    expect(rowsOf(await shown({ source: 'bought_together', per_row: 1 }, { bought_together: list(2) }, true))).toEqual([
      1, 1,
    ]);
  });

  test('leaves out fields that a product does not have', async () => {
    const bare = { id: 'x', name: 'Bare', price: 3, formatted_price: null, image: null, url: null };
    const html = await shown({ source: 'recently_viewed', text: 'Buy' }, { recently_viewed: [bare] });
    expect(html).toContain('<p style="margin:8px 0 0;font-weight:600">Bare</p><p style="margin:4px 0 0">3</p></td>');
    expect(html).not.toMatch(/<img|<a |Buy/);
  });

  test.each(['best_sellers', 'bought_together', 'recently_viewed'] as const)(
    'of %s is left out where there are none, unless best sellers are to take their place',
    async (source) => {
      for (const recommendations of [null, {}, { [source]: [] }]) {
        expect(await shown({ source, text: 'Buy' }, recommendations)).not.toMatch(/<td width|Buy|padding:8px 16px/);
      }
      const fallback = await shown({ source, fallback: 'best_sellers' }, { best_sellers: list(2) });
      expect(namesOf(fallback)).toEqual([1, 2]);
      const both = { best_sellers: list(2), [source]: list(1) };
      expect(namesOf(await shown({ source, fallback: 'best_sellers' }, both))).toEqual([1]);
    },
  );

  test('can be of one category, and next to others', async () => {
    const recommendations = { best_sellers: list(3), best_sellers_by_category: { 'green-tea': list(2) } };
    const grid = { source: 'best_sellers', category: 'green-tea' } as const;
    expect(namesOf(await shown(grid, recommendations))).toEqual([1, 2]);
    const blocks = [
      { type: 'product_grid', ...grid } as const,
      { type: 'product_grid', source: 'bought_together' } as const,
      { type: 'product_grid', source: 'best_sellers' } as const,
    ];
    const { html } = await toHtml(compileDesign({ blocks }));
    const rendered = renderTemplate(html, { recommendations }, { html: true, limits: BODY_LIMITS });
    expect(rendered.ok && namesOf(rendered.text)).toEqual([1, 2, 1, 2, 3]);
  });
});

describe('a text', () => {
  test.each([
    ['a\nb\n\nc', '<p style="margin:0 0 12px">a<br />b</p><p style="margin:0 0 12px">c</p>'],
    ['- a\n- *b*', '<ul style="margin:0 0 12px;padding-left:20px"><li>a</li><li><em>b</em></li></ul>'],
    [
      '[**a**](https://x.example)',
      '<p style="margin:0 0 12px"><a href="https://x.example" style="S"><strong>a</strong></a></p>',
    ],
    ['[a](javascript:b)', '<p style="margin:0 0 12px">a</p>'],
    ['{% if a < b %}x{% endif %}', '<p style="margin:0 0 12px">{% if a < b %}x{% endif %}</p>'],
    ['{{ "<b>" }}', '<p style="margin:0 0 12px">{{ "< b>" }}</p>'],
  ])('%j is formatted', (source, expected) => {
    expect(formatted(source, 'S')).toBe(expected);
  });

  test('with braces that are no Liquid keeps them', () => {
    expect(plain('{{ a {% b { c }')).toBe('&#123;&#123; a &#123;% b &#123; c &#125;');
    expect(plain('{{ "}} {{ a }}')).toBe('&#123;&#123; &quot;&#125;&#125; {{ a }}');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', ' x', 'vbscript:x', 'https://a b'])(
    'is no address: %s',
    (address) => expect(addressOf(address)).toBe(''),
  );

  test('of twenty thousand braces and brackets takes no time', () => {
    const begun = processorMs();
    for (const bit of ['{{', '{{"', '[', '**', '*', '{%', '[a](']) formatted(bit.repeat(20_000 / bit.length), '');
    formatted(`${'{{"'.repeat(6_000)}}}`, '');
    expect(processorMs() - begun).toBeLessThan(1_000);
  });
});
