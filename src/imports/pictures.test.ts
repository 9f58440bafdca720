import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { drawn } from '../commerce/pictures/testing-pictures.ts';
import { checkInvariants } from '../invariants.ts';
import { type TestCompany, type TestServer, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer({ config: { allowPrivateWebhooks: true } });
const strict = testServer();
let host: Server;
let origin: string;
let asked: string[] = [];
const responders = new Map<string, RequestListener>();
let shop: TestCompany;
let imports: TestImports;

beforeAll(async () => {
  host = createServer((request, response) => {
    asked.push(request.url!);
    const respond = responders.get(request.url!);
    if (respond === undefined) response.writeHead(404).end();
    else respond(request, response);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const red = await drawn(300, 200, { colour: 'red' });
  const blue = await drawn(200, 300, { colour: 'blue' });
  responders.set('/red.png', (_request, response) => response.end(red));
  responders.set('/blue.png', (_request, response) => response.end(blue));
  responders.set('/moved.png', (_request, response) => response.writeHead(302, { Location: '/blue.png' }).end());
  responders.set('/page.png', (_request, response) => response.end('<html>'));
  responders.set('/busy.png', (_request, response) => response.writeHead(503).end());
  responders.set('/loop.png', (_request, response) => response.writeHead(302, { Location: '/loop.png' }).end());
  responders.set('/huge.png', (_request, response) => response.end(Buffer.alloc(10 * 2 ** 20 + 1)));
});
afterAll(() => {
  host.closeAllConnections();
  host.close();
});
beforeEach(async () => {
  asked = [];
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const fetchAll = (on: TestServer = server) => on.app.workers.find(({ name }) => name === 'picture-fetches')!.runOnce();
const fileOf = (rows: [name: string, images: string[]][]): string =>
  ['name,sku,price,images', ...rows.map(([name, images]) => `${name},${name},5,${images.join(' ')}`)].join('\n');
const imagesOf = async (of: TestCompany = shop) => {
  const { body } = await of.commerce('GET', '/products?per_page=100');
  const urlsOf = ({ name, images }: { name: string; images: { url: string }[] }) => [
    name,
    images.map(({ url }) => url),
  ];
  return Object.fromEntries(body.data.map(urlsOf)) as Record<string, string[]>;
};
const fetches = (of: TestCompany = shop, on: TestServer = server) =>
  on.rows<{ state: string; attempts: number }>(
    'select state, attempts from picture_fetches where company_id = $1 order by id',
    [of.company_id],
  );
const STORED = expect.stringMatching(/\/pictures\/\d+\/\d+-[0-9a-f]{32}\/large\.webp$/);

describe('pictures that an import names by URL', () => {
  test('are fetched once and stored, and a second import of the file changes nothing', async () => {
    const file = fileOf([
      ['Tee', [`${origin}/red.png`, `${origin}/moved.png`]],
      ['Mug', [`${origin}/red.png`]],
    ]);
    const done = await imports.import('csv-products', file);
    expect((await imagesOf()).Mug).toEqual([`${origin}/red.png`]);
    await fetchAll();
    const shown = await imagesOf();
    expect(shown).toEqual({ Tee: [STORED, STORED], Mug: [STORED] });
    expect(shown.Mug![0]).toBe(shown.Tee![0]);
    expect(asked.sort()).toEqual(['/blue.png', '/moved.png', '/red.png']);
    const { status } = await fetch(`${server.origin}${new URL(shown.Mug![0]!).pathname}`);
    expect(status).toBe(200);
    expect(await imports.import('csv-products', file)).toMatchObject({ unchanged: 2, updated: 0 });
    expect(await imports.import('csv-products', file.replace(',5,', ',6,'))).toMatchObject({
      unchanged: 1,
      updated: 1,
    });
    expect(await imagesOf()).toEqual(shown);
    await fetchAll();
    expect(asked).toHaveLength(3);
    const kept = await server.rows('select 1 from pictures where company_id = $1 and delete_after is not null', [
      shop.company_id,
    ]);
    expect(kept).toEqual([]);
    expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
    expect(done).toMatchObject({ created: 2 });
  });

  test('go with the products of an import that is undone', async () => {
    const { id } = await imports.import('csv-products', fileOf([['Tee', [`${origin}/red.png`, `${origin}/busy.png`]]]));
    await fetchAll();
    expect((await imagesOf()).Tee).toEqual([STORED, `${origin}/busy.png`]);
    expect(await imports.undo(id)).toMatchObject({ undone: 1, kept: 0 });
    expect([await imagesOf(), await fetches()]).toEqual([{}, []]);
  });

  test('leave a product as it is that shows others in the meantime', async () => {
    await imports.import('csv-products', fileOf([['Tee', [`${origin}/red.png`]]]));
    const [product] = (await shop.commerce('GET', '/products')).body.data;
    const images = [{ url: 'https://cdn.example.com/other.jpg' }];
    await shop.commerce('PATCH', `/products/${product.id}`, { images });
    await fetchAll();
    expect((await imagesOf()).Tee).toEqual(['https://cdn.example.com/other.jpg']);
    expect(await fetches()).toEqual([]);
  });

  test('are tried five times where the server fails, and keep their URL then', async () => {
    await imports.import('csv-products', fileOf([['Tee', [`${origin}/busy.png`]]]));
    for (let turn = 1; turn <= 7; turn++) {
      await fetchAll();
      await fetchAll();
      expect(asked).toHaveLength(Math.min(turn, 5));
      server.clock.advance(6 * 3_600_000);
    }
    expect((await imagesOf()).Tee).toEqual([`${origin}/busy.png`]);
    expect(await fetches()).toEqual([{ state: 'failed', attempts: 5 }]);
  });

  test.each(['/missing.png', '/page.png', '/loop.png', '/huge.png'])(
    'keep their URL at once where there is none: %s',
    async (path) => {
      await imports.import('csv-products', fileOf([['Tee', [origin + path]]]));
      await fetchAll();
      expect((await imagesOf()).Tee).toEqual([origin + path]);
      expect(await fetches()).toEqual([{ state: 'failed', attempts: 1 }]);
    },
  );

  test('are not fetched from private addresses', async () => {
    const careful = await strict.company();
    await new TestImports(strict, careful).import('csv-products', fileOf([['Tee', [`${origin}/red.png`]]]));
    await fetchAll(strict);
    expect([asked, await fetches(careful, strict)]).toEqual([[], [{ state: 'failed', attempts: 1 }]]);
    expect((await imagesOf(careful)).Tee).toEqual([`${origin}/red.png`]);
  });
});
