import { beforeAll, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { testStore } from '../testing-store.ts';

const server = testServer({ described: true });
let shop: TestCompany;
let store: Awaited<ReturnType<typeof testStore>>;

beforeAll(async () => {
  shop = await server.company();
  store = await testStore(server, shop.company_id);
});

async function shown(description: string, more: object = {}) {
  const { body } = await shop.commerce('POST', '/products', { name: 'Tea', price: 5, description, ...more });
  return (await store.get(`/products/${body.data.id}`)).body.data;
}

test.each([
  ['', ''],
  ['Fish & chips, 3 < 5', '<p>Fish &#38; chips, 3 &#60; 5</p>'],
  ['One\ntwo\r\n\r\nthree &amp;', '<p>One<br />two</p><p>three &#38;amp;</p>'],
  ['<h2>Tea</h2><p>From <b>Assam</b></p>', '<h2>Tea</h2><p>From <b>Assam</b></p>'],
  ['<p onclick="x()">a</p><script>alert(1)</script><img src=x onerror=alert(1)>', '<p>a</p>'],
  ['<a href="javascript:alert(1)">a</a><svg onload=alert(1)>', '<a>a</a>'],
])('a page gets the description %j as HTML that is safe to insert', async (description, html) => {
  const product = await shown(description);
  expect(product).toMatchObject({ description, description_html: html });
  // From what is kept.
  expect((await store.get(`/products/${product.id}`)).body.data.description_html).toBe(html);
});

test('lists have neither the HTML nor the texts for search engines', async () => {
  await shown('<b>Tea</b>');
  const { data } = (await store.get('/products')).body;
  for (const field of ['description_html', 'seo_title', 'seo_description']) expect(data[0]).not.toHaveProperty(field);
});

test('search engines get the name and the beginning of the description as text, unless the shop has set others', async () => {
  const html = `<h2>Green tea</h2><ul><li>from <a href="https://a.example">Assam</a></li><li>100 g</li></ul>${'<p>Fine &amp; fresh leaves.</p>'.repeat(20)}`;
  const { seo_title, seo_description } = await shown(html);
  expect(seo_title).toBe('Tea');
  expect(seo_description).toBe(`Green tea from Assam 100 g ${'Fine & fresh leaves. '.repeat(6)}Fine &…`);
  const own = { seo_title: 'Tea from Assam | Rowan', seo_description: 'Picked by hand.' };
  expect(await shown(html, own)).toMatchObject(own);
  expect((await shown('🍵'.repeat(200))).seo_description).toBe(`${'🍵'.repeat(79)}…`);
});

test('a collection has them too', async () => {
  const made = await shop.commerce('POST', '/collections', {
    name: 'Teas',
    kind: 'manual',
    description: '<p>All our <b>teas</b></p><script>alert(1)</script>',
    seo_title: 'Loose tea',
  });
  expect(made.body.data).toMatchObject({ seo_title: 'Loose tea', seo_description: null });
  const page = {
    description_html: '<p>All our <b>teas</b></p>',
    seo_title: 'Loose tea',
    seo_description: 'All our teas',
  };
  expect((await store.get('/collections/teas')).body.data).toMatchObject(page);
  const none = { seo_title: null, seo_description: 'Every tea.' };
  expect((await shop.commerce('PATCH', '/collections/teas', none)).body.data).toMatchObject(none);
  expect((await store.get('/collections/teas')).body.data).toMatchObject({
    seo_title: 'Teas',
    seo_description: 'Every tea.',
  });
});
