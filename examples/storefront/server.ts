import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { ApiError, createClient } from '../../client/src/client.ts';

/**
 * The shop's own server: it serves the page, and calls Tradeloom with the key that no browser may see. A visitor can do
 * what the routes below allow, as the customer of their session, and nothing else.
 */
const { TRADELOOM_URL = 'http://127.0.0.1:3000', TRADELOOM_KEY = '', PORT = '8080' } = process.env;
const { commerce } = createClient({ origin: TRADELOOM_URL, apiKey: TRADELOOM_KEY });

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const FILES: Record<string, { type: string; text: string }> = {
  '/': { type: 'text/html', text: file('index.html') },
  '/shop.js': { type: 'text/javascript', text: file('shop.js') },
};
const HEADERS = {
  'Content-Security-Policy': `default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' ${new URL(TRADELOOM_URL).origin}; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
};
/** Customers by the secret of their cookie; a shop with several servers keeps them in its database. */
const sessions = new Map<string, number>();

interface Input {
  email?: string;
  password?: string;
  name?: string;
  address?: string;
  city?: string;
  state?: string;
  zip?: string;
  attempt?: string;
  points?: number;
  items?: { product_id: number; qty: number }[];
}
class Refused extends Error {}

/** What the page may request, by method and path. */
const ROUTES: Record<string, (input: Input, customer: number | null) => Promise<object>> = {
  'GET /api/products': async () => {
    const products = await commerce.get('/products', { query: { in_stock: true, per_page: 12 } });
    return Promise.all(
      products.map(async (product) => {
        const path = { id: product.id };
        const query = { archived: false, per_page: 100 };
        // What can be ordered: the variants of a product that has some, otherwise the product.
        const items = product.has_variants ? await commerce.get('/products/{id}/variants', { path, query }) : [product];
        return {
          name: product.name,
          picture: product.images[0]?.url ?? null,
          items: items
            .filter(({ stock_qty }) => stock_qty > 0)
            .map(({ id, name, title, price, stock_qty }) => ({ id, name, title, price, stock_qty })),
        };
      }),
    );
  },
  'POST /api/account': async ({ email = '', password = '', name = '' }) => {
    const [found] = await commerce.get('/customers', { query: { email } });
    if (found === undefined) {
      const made = await commerce.post('/customers', { body: { email, password, first_name: name } });
      return { customer: made.id };
    }
    const path = { id: found.id };
    const { valid } = await commerce.post('/customers/{id}/verify-password', { path, body: { password } });
    if (!valid) throw new Refused('This address has another password');
    return { customer: found.id };
  },
  'GET /api/points': async (_input, customer) => {
    if (customer === null) throw new Refused('Sign in first');
    const { current_balance, dollar_value } = await commerce.get('/customers/{id}/loyalty', { path: { id: customer } });
    return { points: current_balance, worth: dollar_value };
  },
  'POST /api/orders': async (
    { items = [], address = '', city = '', state = '', zip = '', points = 0, attempt = '' },
    customer,
  ) => {
    if (customer === null) throw new Refused('Sign in first');
    const order = await commerce.post('/orders', {
      // One key per click on "Order": whatever happens to the connection, there is one order.
      idempotencyKey: `storefront-${customer}-${attempt}`,
      body: {
        customer_id: customer,
        items: items.map(({ product_id, qty }) => ({ product_id, qty })),
        shipping_address: address,
        shipping_city: city,
        shipping_state: state,
        shipping_zip: zip,
        ...(points > 0 ? { redeem_points: points } : {}),
      },
    });
    const { id, total, currency, shipping, tax, discount } = order;
    return { id, total, currency, shipping, tax, discount };
  },
};

async function bodyOf(request: IncomingMessage): Promise<Input> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 100_000) throw new Refused('Too long');
  }
  return text === '' ? {} : (JSON.parse(text) as Input);
}

const server = createServer(async (request, response) => {
  const path = (request.url ?? '/').split('?')[0]!;
  const page = FILES[path];
  if (request.method === 'GET' && page !== undefined) {
    response.writeHead(200, { ...HEADERS, 'Content-Type': `${page.type}; charset=utf-8` }).end(page.text);
    return;
  }
  const cookie = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const send = (status: number, body: object): void => {
    response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  try {
    const handle = ROUTES[`${request.method} ${path}`];
    if (handle === undefined) return send(404, { message: 'Not found' });
    // A page of another site cannot send JSON without a preflight, which fails here: only our own page can send it.
    if (request.method === 'POST' && request.headers['content-type'] !== 'application/json')
      throw new Refused('No JSON');
    const result = await handle(await bodyOf(request), sessions.get(cookie) ?? null);
    if ('customer' in result) {
      const secret = randomBytes(24).toString('base64url');
      sessions.set(secret, Number(result.customer));
      response.setHeader('Set-Cookie', `session=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=86400`);
    }
    send(200, result);
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return send(400, { message: error.message });
    if (error instanceof ApiError && error.status < 500) return send(422, { message: error.message, code: error.code });
    process.stderr.write(`${error}\n`);
    send(500, { message: 'The shop is closed for a moment: try again' });
  }
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address() as { port: number };
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
