import { expect, test } from 'vitest';
import { testServer } from '../../../testing/harness.ts';

const server = testServer();
const EMPTY = { logo_url: null, website_url: null, product_url: null, address: null, style: {}, social_links: [] };

test('the brand kit is empty at first, stores given values and clears those that are null', async () => {
  const shop = await server.company();
  const other = await server.company();
  expect((await shop.marketing('GET', '/brand-kit')).body).toEqual(EMPTY);
  const kit = {
    logo_url: 'https://shop.example/logo.png',
    style: { font: 'Georgia', button: '#123456' },
    address: ' Mill Lane 2 ',
    social_links: [{ network: 'instagram', url: 'https://instagram.example/shop' }],
  };
  const set = await shop.marketing('PATCH', '/brand-kit', kit);
  expect(set.body).toEqual({ ...EMPTY, ...kit, address: 'Mill Lane 2' });
  const less = await shop.marketing('PATCH', '/brand-kit', { logo_url: null });
  expect(less.body).toEqual({ ...set.body, logo_url: null });
  expect((await shop.marketing('GET', '/brand-kit')).body).toEqual(less.body);
  expect((await other.marketing('GET', '/brand-kit')).body).toEqual(EMPTY);
});

test.each([
  [{ logo_url: 'javascript:alert(1)' }, 'logo_url'],
  [{ style: { text: 'red' } }, 'style.text'],
  [{ style: { font: 'Comic Sans' } }, 'style.font'],
  [{ social_links: [{ network: 'myspace', url: 'https://x.example' }] }, 'social_links.0.network'],
])('%j is refused', async (patch, field) => {
  const shop = await server.company();
  const refused = await shop.marketing('PATCH', '/brand-kit', patch);
  expect(refused.status).toBe(400);
  expect(refused.body.details[0].field).toBe(field);
});
