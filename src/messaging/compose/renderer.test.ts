import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isVetted, type RenderContext, renderTemplate } from './liquid/render.ts';
import { hostileContext, hostileTemplates } from './liquid/testing-hostile-templates.ts';
import { createRenderer } from './renderer.ts';

const renderer = createRenderer({ textThreads: 2 });
const owner = { companyId: 1, priority: 'bulk' } as const;
afterAll(() => renderer.close());

function render(text: string, context: RenderContext, html = true): string {
  // On a busy machine a rendering waits for a processor.
  const result = renderTemplate(text, context, { html, limits: { milliseconds: 60_000, memory: 1024 * 1024 } });
  return result.ok ? result.text : `error: ${result.error}`;
}

/** hostile-previews.test.ts tests through the API that each ends in time and delays no other request. */
describe('hostile templates', () => {
  test('none reaches a file, a prototype or a built-in', async () => {
    for (const name of ['include of a file', 'render of a file', 'layout of a file', 'counters in the context']) {
      expect(render(hostileTemplates[name]!, {}), name).toMatch(/^error: tag ".*" not found$/);
    }
    for (const name of ['constructor of a string', '__proto__ chain', 'getters of built-ins']) {
      expect(render(hostileTemplates[name]!, hostileContext()), name).toBe('');
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('one that runs out of time does no harm to others, and is tried again whenever it is asked for', async () => {
    const endless = {
      text: '{% for i in (1..999) %}{% for j in (1..999) %}{% if j %}{% endif %}{% endfor %}{% endfor %}',
      context: {},
      html: true,
    };
    for (let round = 0; round < 4; round += 1) {
      const quick = { text: '{{ (1..3) | join }}', context: {}, html: false };
      const results = await renderer.render([endless, quick], owner);
      expect(results[0]).toMatchObject({ ok: false, exceeded: 'time', error: 'The template takes too long to render' });
      expect(results[1]).toEqual({ ok: true, text: '1 2 3' });
    }
  });

  test.each([
    { ms: 300, ends: 'goes on', expected: { ok: true, text: 'waited' } },
    { ms: 1_200, ends: 'ends', expected: { ok: false, exceeded: 'time' } },
  ])('one that waits $ms ms for a processor, with 200 to use, $ends', ({ ms, expected }) => {
    const context = {
      get wait() {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        return 'waited';
      },
    };
    const limits = { milliseconds: 200, memory: 1_000 };
    expect(renderTemplate('{{ wait }}{% if false %}{% endif %}', context, { html: true, limits })).toMatchObject(
      expected,
    );
  });

  test('any mixture of Liquid ends as a value', () => {
    const piece = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{%',
        '%}',
        '{%-',
        '-%}',
        ' if ',
        ' endif ',
        ' for i in ',
        ' endfor ',
        'a.b',
        '| upcase ',
        '| date: "%Y"',
      ],
      ...[
        '"',
        "'",
        ' assign a = ',
        ' case ',
        ' when ',
        '(1..9)',
        ' and ',
        '[0]',
        ' raw ',
        ' endraw ',
        '\n',
        'ü<&>',
        '\u0000',
        '\ud800',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, html) => {
        const result = renderTemplate(pieces.join(''), { a: { b: [1, '<x>', null] } }, { html });
        expect(typeof (result.ok ? result.text : result.error)).toBe('string');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('escaping', () => {
  test('any value in HTML text or in a quoted attribute stays text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '/', '`', '\n', '{', '%', '}') }),
        (value) => {
          const output = render('<p title="{{ v }}">{{ v }}</p>', { v: value });
          expect(output.match(/[<>]/g)).toHaveLength(4);
          expect(output.match(/"/g)).toHaveLength(2);
        },
      ),
    );
  });

  test('is switched off by raw as the last filter only, and never done twice', () => {
    const context = { v: '<b>&', lines: 'a<\nb' };
    expect(render('{{ v | raw }}', context)).toBe('<b>&');
    expect(render('{{ v | raw | append: "<" }}', context)).toBe('&lt;b&gt;&amp;&lt;');
    expect(render('{{ v | escape }}', context)).toBe('&lt;b&gt;&amp;');
    expect(render('{{ lines | newline_to_br }}', context)).toBe('a&lt;<br />\nb');
    expect(render('{% echo v %}{% cycle v %}', context)).toBe('&lt;b&gt;&amp;&lt;b&gt;&amp;');
  });

  test('follows the filter for amounts, whose output is text', () => {
    const context = { total: 1386.1, currency: 'USD', none: null, text: '<b>' };
    expect(render('{{ total | money: currency }}', context)).toBe('$1,386.10');
    expect(render('{{ total | money: "EUR", "de" }}', context)).toBe('1.386,10\u00a0€');
    expect(render('{{ total | money: "JPY", "fr" }}', context)).toBe('¥1,386');
    expect(render('{{ total | money }} {{ total | money: "<i>" }}', context)).toBe('1386.1 1386.1');
    expect(render('{{ none | money: currency }}{{ text | money: currency }}', context)).toBe('&lt;b&gt;');
  });

  test('leaves subjects, texts and SMS alone', () => {
    expect(render('Hi {{ v }}', { v: "Ann & Bob's <shop>" }, false)).toBe("Hi Ann & Bob's <shop>");
    expect(render('{{ list }}{{ nothing }}{{ n }}', { list: ['a', ['b', null]], n: 0 }, false)).toBe('ab0');
  });
});

describe('rendering', () => {
  test('reports the error and its line', async () => {
    const results = await renderer.render(
      [
        { text: 'Hi\n  {{ name | shout }}', context: {}, html: false },
        { text: 'Hi {% if name %}', context: {}, html: false },
        { text: '{{ "x" | date: "%Y", "Nowhere" }}{{ "now" | date: "%Y", "Nowhere" }}', context: {}, html: false },
      ],
      owner,
    );
    expect(results).toMatchObject([
      { ok: false, error: 'undefined filter: shout', line: 2, column: 3, exceeded: null },
      { ok: false, error: 'tag {% if name %} not closed', line: 1, column: 4 },
      { ok: false, line: 1, exceeded: null },
    ]);
  });

  test('keeps the order of a batch across this thread and the others', async () => {
    const requests = Array.from({ length: 300 }, (_, n) => ({
      text: n % 3 === 0 ? '{% for i in (1..2) %}{{ n }}{% endfor %}' : '{{ n }}',
      context: { n },
      html: n % 2 === 0,
    }));
    const results = await renderer.render(requests, owner);
    expect(results).toEqual(requests.map((_, n) => ({ ok: true, text: n % 3 === 0 ? `${n}${n}` : `${n}` })));
  });

  test('renders the same in a thread as here', async () => {
    const context = { order: { items: [{ name: 'A & B', price: 12.5 }], placed: '2026-03-29T00:30:00Z' }, to: 1 };
    const body =
      '{% for i in order.items %}{{ i.name }} {{ i.price | times: 2 }}{% endfor %} {{ order.placed | date: "%d %B %H:%M", "Europe/Berlin" }} {{ order.placed | date: "%H:%M" }}';
    const inThread = `${body}{% for x in (1..to) %}{% endfor %}`;
    expect([isVetted(body, true), isVetted(inThread, true)]).toEqual([true, false]);
    const [here, there] = await renderer.render(
      [body, inThread].map((text) => ({ text, context, html: true })),
      owner,
    );
    expect(here).toEqual({ ok: true, text: 'A &amp; B 25 29 March 01:30 00:30' });
    expect(there).toEqual(here);
  });

  test('a vetted template that meets too much data moves to a thread instead of failing here', async () => {
    const text = '{% for i in items %}{{ i | append: "x" }}{% endfor %}';
    expect(isVetted(text, true)).toBe(true);
    const items = Array.from({ length: 5 }, (_, n) => String(n).repeat(100_000));
    // Fails by size, which does not depend on how busy the machine is.
    expect(renderTemplate(text, { items }, { html: true })).toMatchObject({ ok: false, exceeded: 'size' });
    const [result] = await renderer.render([{ text, context: { items }, html: true }], owner);
    expect(result?.ok && result.text === items.map((item) => `${item}x`).join('')).toBe(true);
  });

  test('after close everything comes back as a failure', async () => {
    const closing = createRenderer({ textThreads: 1 });
    const rendering = closing.render([{ text: '{% for i in (1..2) %}x{% endfor %}', context: {}, html: true }], owner);
    await closing.close();
    expect(await rendering).toMatchObject([{ ok: false, error: 'The renderer was shut down' }]);
    expect(await closing.render([{ text: '{{ (1..2) }}', context: {}, html: true }], owner)).toMatchObject([
      { ok: false },
    ]);
  });
});

describe('vetting', () => {
  test.each([
    ['{{ contact.first_name | default: "you" | truncate: 20, "..." }}', true],
    ['{% if a %}{{ b }}{% elsif c %}{% else %}{% endif %}{% case d %}{% when 1 %}{{ e | upcase }}{% endcase %}', true],
    ['{% assign total = a | plus: b %}{% for i in event.items %}{{ i.name }}{% endfor %}', true],
    ['{{ broken | nothing }}', true],
    ['{% for i in (1..3) %}{% endfor %}', false],
    ['{% for i in a %}{% for j in i.b %}{% endfor %}{% endfor %}', false],
    ['{{ a | append: (1..9) }}', false],
    ['{% if a %}{% if b contains (1..9) %}{% endif %}{% endif %}', false],
    ['{{ a | split: "" }}', false],
    ['{% if a %}{{ a | sort }}{% endif %}', false],
    ['{% capture a %}{% endcapture %}', false],
    ['{{ a }}'.repeat(2_001), false],
    ['x'.repeat(256 * 1024 + 1), false],
    [`{{ a${' '.repeat(64 * 1024)} }}`, false],
  ])('template %# of the table', (text, vetted) => {
    expect(isVetted(text, true)).toBe(vetted);
    expect(isVetted(text, false)).toBe(vetted);
  });
});

describe('templates of plain values alone', () => {
  // An empty comment forces the template through LiquidJS.
  const SLOW = '{% comment %}{% endcomment %}';

  // On a loaded machine a thread may wait longer than a rendering is allowed to take.
  const unhurried = (text: string, context: RenderContext, html: boolean) =>
    renderTemplate(text, context, { html, limits: { milliseconds: 60_000, memory: 1024 * 1024 } });

  test('render as any other', () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '<', '&', '"', "'", 'ü', ' ') }),
      fc.constantFrom<RenderContext[string]>(0, 1.5, true, false, null, [], ['x', 'y'], {}, { c: 'deep <' }, [
        [1],
        { c: 2 },
      ]),
    );
    const path = fc.constantFrom(
      'a',
      'b',
      'a.b',
      'a.b.c',
      'b.c',
      'a.size',
      'a.first',
      'b.constructor',
      'a.__proto__',
      'nope.x',
      'a[0]',
      'a["b"]',
      'true',
      'nil',
      'blank',
      '"q"',
      '3',
      'a | upcase',
      'a | raw',
      '-a',
      'a -',
    );
    const part = fc.oneof(
      fc.constantFrom('text', ' <p> ', '\n', '{% if a %}y{% endif %}'),
      path.map((name) => `{{ ${name} }}`),
      path.map((name) => `x {{- ${name} -}} y`),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), value, value, fc.boolean(), (parts, a, b, html) => {
        const text = parts.join('');
        const context = { a: typeof a === 'object' && a !== null && !Array.isArray(a) ? { ...a, b } : a, b };
        expect(unhurried(text, context, html)).toEqual(unhurried(text + SLOW, context, html));
      }),
      { numRuns: 2_000 },
    );
  });
});
