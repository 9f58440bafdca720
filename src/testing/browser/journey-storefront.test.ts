import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { recoverUrl } from '../../commerce/carts/recovery.ts';
import { firstStart } from '../../demo/service.ts';
import { mailedCode, testStore } from '../../store/testing-store.ts';
import { type TestCompany, testServer } from '../harness.ts';
import { findChromium, openTab, testBrowser } from './chromium.ts';
import { fillAddress, findingsOn, heading, press } from './storefront.ts';

const executable = findChromium();
if (executable === null) {
  process.stderr.write('SKIPPED: Chromium is not installed, the storefront is not looked at here\n');
}

for (const path of executable === null ? [] : [executable]) {
  describe('the storefront', () => {
    const server = testServer();
    const browser = testBrowser(path);
    let companyId: number;
    let shop: Pick<TestCompany, 'commerce' | 'marketing'>;

    beforeAll(async () => {
      const demo = await firstStart(server.app, { empty: false, origin: server.origin });
      companyId = demo!.ids.company_id;
      const keys = { 'x-api-key': demo!.key, authorization: `Bearer ${demo!.key}`, 'x-company-id': String(companyId) };
      const ask = (base: string) => (method: string, path: string, body?: unknown) =>
        server.request(method, `${base}${path}`, { body, headers: keys });
      shop = { commerce: ask('/commerce/v1'), marketing: ask('/marketing/v1') };
    });

    test('a guest finds a product by its facets, chooses a variant and pays at the door', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto('/shop/');
      await heading(page, 'Products');
      expect(await findingsOn(tab, 'products')).toEqual([]);
      await page.getByRole('checkbox', { name: /^Oat/ }).check();
      await page.getByText('Found: 1', { exact: true }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('option.Colour=Oat');
      await page.getByRole('link', { name: 'Roastery T-Shirt' }).click();
      await heading(page, 'Roastery T-Shirt');
      await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
      expect(await page.title()).toBe('Roastery T-Shirt – Fernhill Coffee & Tea');
      expect(await page.locator('meta[name=description]').getAttribute('content')).toMatch(/\w/);
      await page.getByLabel('Colour').selectOption('Fern');
      await page.getByText('Sold out').waitFor();
      expect(await page.getByRole('button', { name: 'Add to cart' }).isDisabled()).toBe(true);
      await page.getByLabel('Colour').selectOption('Oat');
      await page.getByLabel('Size').selectOption('L');
      expect(await findingsOn(tab, 'product')).toEqual([]);
      await page.getByLabel('Quantity').fill('9000');
      await press(page, 'Add to cart');
      await page.getByText('There is not enough of it in stock.').waitFor();
      await page.getByLabel('Quantity').fill('1');
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).click();
      await heading(page, 'Your cart');
      const quantity = page.getByLabel(/^Quantity of Roastery T-Shirt/);
      await quantity.fill('2');
      await quantity.press('Tab');
      await page.getByRole('link', { name: 'Cart (2)' }).waitFor();
      await page.getByLabel('Promo code').fill('NOSUCH');
      await press(page, 'Apply');
      await page.getByText('We do not know this promo code.').waitFor();
      expect(await findingsOn(tab, 'cart')).toEqual([]);
      await page.getByLabel('Promo code').fill('FERNHILL10');
      await press(page, 'Apply');
      await page.getByText('Discount').waitFor();
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await heading(page, 'Checkout');
      await fillAddress(page, 'Noor@example.com');
      await page.getByRole('radio', { name: /^Express/ }).check();
      await page.getByText('Shipping, Express, next day').waitFor();
      expect(await page.getByText('Cash', { exact: true }).count()).toBe(0);
      await page.getByRole('radio', { name: /^Cash on delivery/ }).check();
      expect(await findingsOn(tab, 'checkout')).toEqual([]);
      await press(page, /^Order for/);
      await heading(page, /^Order \d+$/);
      await page.getByText('2 × Roastery T-Shirt').waitFor();
      expect(await findingsOn(tab, 'order')).toEqual([]);
      await page.reload();
      await heading(page, /^Order \d+$/);
      await page.getByRole('link', { name: 'Cart (0)' }).waitFor();
      const [order] = await server.rows(
        `select o.origin, o.guest, c.email from orders o join customers c on c.company_id = o.company_id and c.id = o.customer_id
         order by o.id desc limit 1`,
      );
      expect(order).toEqual({ origin: 'store', guest: true, email: 'noor@example.com' });
      expect(await tab.context.cookies()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('another pays by transfer, sees what to do, and changes the order instead, in two tabs', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto('/shop/');
      await page.getByLabel('Search').pressSequentially('espresso');
      await page.locator('#suggestions option').first().waitFor({ state: 'attached' });
      await page.getByLabel('Search').fill('Morning Ridge Espresso');
      await page.getByLabel('Search').press('Enter');
      await heading(page, 'Morning Ridge Espresso');
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await page.goto('/shop/#/checkout');
      await heading(page, 'Checkout');
      await fillAddress(page, 'omar@example.com');
      const second = await tab.context.newPage();
      await second.goto('/shop/#/checkout');
      await second.getByRole('radio', { name: /^Cash on delivery/ }).check();
      await page.getByRole('radio', { name: /^Bank transfer/ }).check();
      await press(page, /^Order for/);
      await heading(page, 'Please pay');
      await page.getByText('account 0123456789').waitFor();
      await page.getByText('Reference', { exact: true }).waitFor();
      await page.getByText('Due by').waitFor();
      expect(await findingsOn(tab, 'payment')).toEqual([]);
      await press(second, /^Order for/);
      await heading(second, 'Please pay');
      await press(page, 'Has it arrived?');
      await page.getByText('Your payment has not arrived yet.').waitFor();
      await press(page, 'Change the order instead');
      await heading(page, 'Your cart');
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await page.getByRole('radio', { name: /^Cash on delivery/ }).check();
      await press(page, /^Order for/);
      await heading(page, /^Order \d+$/);
      await heading(second, 'Your cart is empty');
      expect(problems).toEqual([]);
    });

    test('a customer signs in with a code, and buys with points and a promo code', async () => {
      const email = 'ines@example.com';
      const customer = (await shop.commerce('POST', '/customers', { email })).body.data.id;
      await shop.commerce('POST', `/customers/${customer}/loyalty/adjust`, { points: 500, reason: 'A gift' });
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto('/shop/#/product/morning-ridge-espresso');
      await page.getByLabel('Quantity').fill('3');
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (3)' }).waitFor();
      await page.getByRole('link', { name: 'Account' }).click();
      await heading(page, 'Sign in');
      expect(await findingsOn(tab, 'sign-in')).toEqual([]);
      await page.getByLabel('E-mail address').fill(email);
      await press(page, 'Continue');
      await page.getByText('We have sent you a code.').waitFor();
      await page.getByLabel('Code').fill(await mailedCode(server, shop, email));
      await press(page, 'Continue');
      await heading(page, 'Your account');
      await page.getByText('500', { exact: true }).waitFor();
      expect(await findingsOn(tab, 'account')).toEqual([]);
      await page.getByRole('link', { name: 'Cart (3)' }).click();
      await page.getByLabel('Promo code').fill('FERNHILL10');
      await page.getByLabel('Points to use, of 500').fill('300');
      await press(page, 'Apply');
      await page.getByText('Discount').waitFor();
      expect(await findingsOn(tab, 'cart-with-points')).toEqual([]);
      await page.getByRole('link', { name: 'Go to the checkout' }).click();
      await heading(page, 'Checkout');
      await fillAddress(page, email);
      await page.getByRole('radio', { name: /^Cash on delivery/ }).check();
      await press(page, /^Order for/);
      await heading(page, /^Order \d+$/);
      const [order] = (await shop.commerce('GET', `/customers/${customer}/orders`)).body.data;
      expect(order).toMatchObject({ guest: false, promo_code: 'FERNHILL10', points_redeemed: 300 });
      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByText(`Order ${order.id}:`).waitFor();
      await press(page, 'Sign out');
      await heading(page, 'Sign in');
      expect(problems).toEqual([]);
    });

    test('a cart is recovered from its link, in another browser', async () => {
      const [away, back] = [await openTab(browser, server), await openTab(browser, server)];
      await shop.commerce('PATCH', '/checkout-settings', { store_url: `${server.origin}/shop/` });
      const email = 'left@example.com';
      await away.page.goto('/shop/#/product/morning-ridge-espresso');
      await away.page.getByLabel('Quantity').fill('2');
      await press(away.page, 'Add to cart');
      await away.page.getByRole('link', { name: 'Cart (2)' }).waitFor();
      await away.page.goto('/shop/#/checkout');
      await fillAddress(away.page, email);
      const [cart] = await server.rows<{ id: number }>('select id::int from carts where email = $1', [email]);
      const link = recoverUrl(
        createSecretKey(server.app.masterKey.tokenKey),
        await server.app.shops.get(companyId),
        cart!.id,
      );
      await back.page.goto(link!);
      await heading(back.page, 'Your cart');
      await back.page.getByRole('link', { name: 'Cart (2)' }).waitFor();
      expect(back.page.url()).toBe(`${server.origin}/shop/#/cart`);
      expect(await findingsOn(back, 'recovered')).toEqual([]);
      await back.page.getByRole('link', { name: 'Go to the checkout' }).click();
      await heading(back.page, 'Checkout');
      // A link may be passed on: it has no personal data.
      expect(await back.page.getByLabel('E-mail address').inputValue()).toBe('');
      expect([...away.problems, ...back.problems]).toEqual([]);
      await back.page.goto(`${server.origin}/shop/?recover=nothing`);
      await back.page.getByRole('status').filter({ hasText: /\w/ }).waitFor();
      await heading(back.page, 'Your cart');
    });

    test('the link to an order, as it is mailed, says how to pay until the money is there', async () => {
      const { data: methods } = (await shop.commerce('GET', '/payment-methods')).body;
      const method_id = methods.find(({ kind }: { kind: string }) => kind === 'bank_transfer').id;
      const [tea] = (await shop.commerce('GET', '/products?search=ridge')).body.data;
      const address = { shipping_address: '12 Rowan Street', shipping_city: 'Portland', shipping_state: 'OR' };
      const input = { email: 'paula@example.com', lines: [{ product_id: tea.id, qty: 1 }], ...address };
      const cart = (await shop.commerce('POST', '/carts', { ...input, shipping_zip: '97205' })).body.data;
      await shop.commerce('POST', `/carts/${cart.id}/pay`, { method_id });
      const order = (await shop.commerce('POST', `/carts/${cart.id}/place`, {})).body.data;
      const { order_token: token } = (await shop.commerce('POST', `/carts/${cart.id}/confirm`)).body.data;
      const { page, problems } = await openTab(browser, server);
      await page.goto(`/shop/#order=${token}`);
      await heading(page, `Order ${order.id}`);
      await page.getByText('account 0123456789').waitFor();
      await shop.commerce('POST', `/orders/${order.id}/payments`, { method_id, amount: order.total });
      await page.reload();
      await page.getByText('Bank transfer').waitFor();
      for (const text of ['account 0123456789', 'Reference', 'Due by']) {
        expect(await page.getByText(text).count()).toBe(0);
      }
      expect(problems).toEqual([]);
    });

    test('two tabs pay the same cart: there is one order', async () => {
      const tab = await openTab(browser, server);
      const { page, problems } = tab;
      await page.goto('/shop/#/product/morning-ridge-espresso');
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await page.goto('/shop/#/checkout');
      await fillAddress(page, 'twice@example.com');
      const second = await tab.context.newPage();
      await second.goto('/shop/#/checkout');
      for (const one of [page, second]) await one.getByRole('radio', { name: /^Cash on delivery/ }).check();
      // Neither gets a response before the other has asked.
      const { promise: both, resolve: release } = Promise.withResolvers<void>();
      let asked = 0;
      await tab.context.route('**/store/v1/cart/pay', async (route) => {
        asked += 1;
        if (asked === 2) release();
        await both;
        await route.continue();
      });
      for (const one of [page, second]) await press(one, /^Order for/);
      await heading(page, /^Order \d+$/);
      await heading(second, /^Order \d+$/);
      expect(await findingsOn(tab, 'paid-twice')).toEqual([]);
      const placed = await server.rows(
        "select o.id from orders o join customers c on c.company_id = o.company_id and c.id = o.customer_id where c.email = 'twice@example.com'",
      );
      expect(placed).toHaveLength(1);
      expect(problems).toEqual([]);
    });

    test('a page of another site sells with a key that lists the site', async () => {
      let config = '';
      const site = createServer(({ url = '/' }, response) => {
        const name = url === '/' ? 'index.html' : url.slice(1);
        const type = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json' };
        const ending = name.slice(name.lastIndexOf('.') + 1) as keyof typeof type;
        response.setHeader('Content-Type', type[ending]);
        const file = new URL(`../../../examples/storefront/${name}`, import.meta.url);
        response.end(name === 'config.json' ? config : readFileSync(file));
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => site.once('listening', resolve));
      const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const { key } = await testStore(server, companyId, [origin]);
      config = JSON.stringify({ url: server.origin, key, facets: ['category'] });
      const { page, problems } = await openTab(browser, { origin });
      await page.goto(`${origin}/#/product/morning-ridge-espresso`);
      await press(page, 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      site.close();
      expect(problems).toEqual([]);
    });
  });
}
