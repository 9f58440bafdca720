import { afterAll, describe, expect, test } from 'vitest';
import { renderTemplate } from '../liquid/render.ts';
import { sanitisePreview } from '../thread/sanitise.ts';
import { createContentCompiler, isMjml } from './compiler.ts';

const threads = createContentCompiler();
const compiler = { compile: (source: string) => threads.compile(source, { companyId: 1, priority: 'interactive' }) };
afterAll(() => threads.close());

const page = (inside: string) => `<mjml><mj-body>${inside}</mj-body></mjml>`;
const section = (inside: string) => `<mj-section><mj-column>${inside}</mj-column></mj-section>`;

describe('MJML', () => {
  test.each([
    ['<mjml></mjml>', true],
    ['\ufeff \n<?xml version="1.0"?>\n<!-- a --><!-- <html> -->\n<MJML lang="en">', true],
    ['<html><mjml></mjml></html>', false],
    ['<mjmlx>', false],
    ['<!-- <mjml>', false],
    ['Hi {{ name }}', false],
    ['', false],
    ['<!---->'.repeat(50_000), false],
  ])('is recognised in source %# of the table', (source, expected) => {
    expect(isMjml(source)).toBe(expected);
  });

  test('compiles to HTML in which the Liquid still works', async () => {
    const source = page(
      `${section('<mj-text>Hi {{ name | default: "you" }} {% if n > 1 %}&amp; co{% endif %}</mj-text><mj-button href="{{ url }}?a=1&amp;b=2">Go</mj-button>')}
       <mj-raw>{% for i in items %}</mj-raw>${section('<mj-text>{{ i }}</mj-text>')}<mj-raw>{% endfor %}</mj-raw>`,
    );
    const compiled = await compiler.compile(source);
    expect(compiled).toMatchObject({ ok: true, warnings: [] });
    if (!compiled.ok) return;
    expect(compiled.html).not.toMatch(/<mj-|fonts\.googleapis/);
    const rendered = renderTemplate(
      compiled.html,
      { name: 'A<b', n: 2, url: 'https://x.example/', items: ['one', 'two'] },
      { html: true },
    );
    expect(rendered.ok && rendered.text).toContain('Hi A&lt;b &amp; co');
    expect(rendered.ok && rendered.text).toMatch(/href="https:\/\/x\.example\/\?a=1&(amp;)?b=2"/);
    expect(rendered.ok && rendered.text).toMatch(/>one<[\s\S]*>two</);
  });

  test('is compiled once', async () => {
    const source = page(section('<mj-text>once</mj-text>').repeat(20));
    await compiler.compile(source);
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const begun = performance.now();
      await compiler.compile(source);
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times)).toBeLessThan(5);
  });

  test('reads no files and reports unknown elements', async () => {
    const compiled = await compiler.compile(
      page(`<mj-include path="./package.json" type="html" />${section('<mj-text size="1">x</mj-text>')}`),
    );
    expect(compiled).toMatchObject({ ok: true, warnings: [expect.stringMatching(/^Line 1, mj-text: /)] });
    expect(compiled.ok && compiled.html).not.toContain('tradeloom');
  });

  test('that is broken, too long or endless comes back as an error', async () => {
    expect(await compiler.compile('<mjml><mj-head></mj-head></mjml>')).toMatchObject({
      ok: false,
      error: expect.stringContaining('Malformed'),
    });
    expect(await compiler.compile(page(section('<mj-text>x</mj-text>').repeat(2_000)))).toMatchObject({
      ok: false,
      error: expect.stringContaining('longer'),
    });
    expect(await compiler.compile(`<mjml>${'x'.repeat(600_000)}`)).toMatchObject({ ok: false });
    expect(await compiler.compile(`<mjml><mj-body>${'<mj-wrapper>'.repeat(5_000)}`)).toMatchObject({ ok: false });
    expect(await compiler.compile(page(section('<mj-text>still there</mj-text>')))).toMatchObject({ ok: true });
  }, 30_000);

  test('HTML goes through as it is, without the compiler', async () => {
    const html = '<p>{{ name }}</p>';
    expect(await compiler.compile(html)).toEqual({ ok: true, html, warnings: [] });
  });
});

describe('a preview', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVa\tScript:alert(1)">x</a>',
    '<iframe src="https://evil.example"></iframe>',
    '<form action="https://evil.example"><input></form>',
    '<svg onload=alert(1)>',
    '<object data="x">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<meta name="referrer" content="unsafe-url">',
    '<base href="https://evil.example">',
    '<link rel=stylesheet href="https://evil.example">',
    '<img src="data:text/html,<script>alert(1)</script>">',
    '<math><mtext><style><img src=x onerror=alert(1)></style>',
    '<style></style><script>alert(1)</script>',
    '<!--[if mso]><script>alert(1)</script><![endif]-->',
    '<a href="//evil.example">x</a>',
    '<body onload=alert(1)>',
    '<button formaction="javascript:alert(1)">',
  ])('has nothing left of %s', (html) => {
    const clean = sanitisePreview(html);
    expect(clean.replace(/<style>[\s\S]*?<\/style>/g, '')).not.toMatch(
      /<(script|iframe|form|input|svg|object|meta|base|link|button)|\son\w+=|javascript:|\/\/evil/i,
    );
  });

  test('keeps what mails are made of', () => {
    const mail =
      '<html><head><meta name="color-scheme" content="light dark" /><style>.a{color:red}</style></head><body><table width="600" bgcolor="#ffffff" style="border:0"><tr><td align="center"><a href="https://x.example/?a=1">x</a><img src="https://x.example/i.png" alt="i" /></td></tr></table></body></html>';
    expect(sanitisePreview(mail)).toBe(mail);
  });
});
