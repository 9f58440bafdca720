import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorkers } from '../../jobs.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../testing/people.ts';
import { drawn, upload } from './testing-pictures.ts';

const server = testServer({ config: { pictureQuotaMb: 1 } });
const DAY = 86_400_000;
let shop: TestCompany;
let owner: TestPerson;
let id: number;

beforeAll(async () => {
  shop = await server.company();
  id = shop.company_id;
  owner = await testPerson(server, { [id]: 'owner' });
});

const made = async (name: string, images: object[]) =>
  (await shop.commerce('POST', '/products', { name, price: 1, images })).body.data;
const deleteAfterOf = async (picture: number) =>
  (await server.rows<{ delete_after: Date | null }>('select delete_after from pictures where id = $1', [picture]))[0]
    ?.delete_after;
/** Runs the background chores. */
async function clean(): Promise<void> {
  const chores = createWorkers(server.app).find(({ name }) => name === 'chores')!;
  await chores.runOnce();
}

describe('an upload', () => {
  test('becomes three variants in WebP, upright and without metadata, under hashed addresses', async () => {
    const photo = await sharp({ create: { width: 3_000, height: 1_500, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { status, body } = await upload(server, owner, id, photo, 'image/jpeg');
    expect([status, body.width, body.height]).toEqual([201, 1_000, 2_000]);
    expect(body.url).toMatch(new RegExp(`^${server.origin}/pictures/${id}/${body.id}-[0-9a-f]{32}/large\\.webp$`));
    for (const [name, side] of [
      ['thumb', 200],
      ['medium', 800],
      ['large', 2_000],
    ] as const) {
      const response = await fetch(body.variants[name]);
      const bytes = Buffer.from(await response.arrayBuffer());
      const { format, width, height, exif, orientation } = await sharp(bytes).metadata();
      expect([format, width, height, exif, orientation]).toEqual(['webp', side / 2, side, undefined, undefined]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'cross-origin',
      });
      const known = { 'if-none-match': response.headers.get('etag')! };
      expect((await fetch(body.variants[name], { headers: known })).status).toBe(304);
    }
  });

  test('is taken in each of the five formats, whatever its Content-Type says; a small one is not enlarged', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
      const bytes = await drawn(40, 30, { format, colour: 'blue' });
      const { status, body } = await upload(server, owner, id, bytes, 'application/octet-stream');
      expect([format, status, body.width, body.height]).toEqual([format, 201, 40, 30]);
    }
  });

  test('of the same bytes is the same picture', async () => {
    const bytes = await drawn(41, 30);
    const [first, second] = [await upload(server, owner, id, bytes), await upload(server, owner, id, bytes)];
    expect(second.body).toEqual(first.body);
  });

  test.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'wrong_format'],
    ['HTML that says it is a picture', Buffer.from('<!doctype html><script>alert(1)</script>'), 'wrong_format'],
    ['nothing', Buffer.alloc(0), 'wrong_format'],
    [
      'a file that only begins like a picture',
      Buffer.from(`\x89PNG\r\n\x1a\n${'x'.repeat(99)}`, 'latin1'),
      'unreadable',
    ],
  ])('of %s is refused', async (_what, bytes, code) => {
    const { status, body } = await upload(server, owner, id, bytes);
    expect([status, body.error, body.details[0].field]).toEqual([400, 'validation_failed', 'picture']);
    const message = code === 'unreadable' ? 'cannot be read' : 'must be a JPEG';
    expect(body.details[0].message).toContain(message);
  });

  test('that is cut off in the middle is refused', async () => {
    const whole = await sharp({
      create: { width: 800, height: 800, channels: 3, background: 'white', noise: { type: 'gaussian', sigma: 30 } },
    })
      .jpeg()
      .toBuffer();
    const { status, body } = await upload(server, owner, id, whole.subarray(0, whole.length / 2));
    expect([status, body.details[0].message]).toEqual([400, expect.stringContaining('cannot be read')]);
  });

  test('that is small and unpacks to hundreds of megapixels is refused', async () => {
    const bomb = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: 'black' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(bomb.length).toBeLessThan(2 * 2 ** 20);
    const { status, body } = await upload(server, owner, id, bomb);
    expect([status, body.details[0].message]).toEqual([400, 'The picture has more than 50 megapixels']);
  });

  test('of more than 10 MiB is refused', async () => {
    expect((await upload(server, owner, id, Buffer.alloc(10 * 2 ** 20 + 1))).status).toBe(400);
  });

  test('beyond the quota is refused, and says so; the quota is shown', async () => {
    const small = await server.company();
    const person = await testPerson(server, { [small.company_id]: 'manager' });
    const noise = await sharp({
      create: { width: 1_600, height: 1_600, channels: 3, background: 'white', noise: { type: 'gaussian', sigma: 90 } },
    })
      .jpeg({ quality: 60 })
      .toBuffer();
    const { status, body } = await upload(server, person, small.company_id, noise);
    expect([status, body.details[0].message]).toEqual([400, expect.stringContaining('1 MiB')]);
    const usage = await person.ask('GET', `/${small.company_id}/pictures/usage`);
    expect(usage.body).toMatchObject({ pictures: 0, bytes: 0, max_bytes: 2 ** 20 });
  });
});

describe('a product', () => {
  test('keeps its pictures in their order, with their alternative texts', async () => {
    const one = (await upload(server, owner, id, await drawn(50, 50))).body;
    const two = (await upload(server, owner, id, await drawn(51, 50))).body;
    const images = [
      { url: two.url, alt: ' A red vase ' },
      { url: one.url, alt: '' },
    ];
    const product = await made('Vase', images);
    expect(product.images).toEqual([
      { url: two.url, is_primary: true, alt: 'A red vase' },
      { url: one.url, is_primary: false },
    ]);
    expect([await deleteAfterOf(one.id), await deleteAfterOf(two.id)]).toEqual([null, null]);
    const turned = { images: [{ url: one.url }, { url: two.url, is_primary: true }] };
    expect((await shop.commerce('PATCH', `/products/${product.id}`, turned)).body.data.images[0].url).toBe(one.url);
  });

  test('cannot have a picture that is not there, nor one of another company', async () => {
    const gone = `${server.origin}/pictures/${id}/999999-${'0'.repeat(32)}/large.webp`;
    const { status, body } = await shop.commerce('POST', '/products', { name: 'X', price: 1, images: [{ url: gone }] });
    expect([status, body.error.details.fields[0].field]).toEqual([422, 'images.0.url']);
    const other = await server.company();
    const person = await testPerson(server, { [other.company_id]: 'owner' });
    const theirs = (await upload(server, person, other.company_id, await drawn(60, 60))).body;
    await made('With a picture of others', [{ url: theirs.url }]);
    expect(await deleteAfterOf(theirs.id)).not.toBeNull();
  });

  test('that drops a picture leaves it for 30 days, unless another product has it', async () => {
    const { id: picture, url } = (await upload(server, owner, id, await drawn(70, 70))).body;
    const [first, second] = [await made('First', [{ url }]), await made('Second', [{ url }])];
    await shop.commerce('PATCH', `/products/${first.id}`, { images: [] });
    expect(await deleteAfterOf(picture)).toBeNull();
    await shop.commerce('PATCH', `/products/${second.id}`, { images: [] });
    const wait = (await deleteAfterOf(picture))!.getTime() - server.clock.now().getTime();
    expect(Math.round(wait / DAY)).toBe(30);
  });

  test('that drops a picture at the same time as others leaves it without a product', async () => {
    const { id: picture, url } = (await upload(server, owner, id, await drawn(72, 70))).body;
    const products = await Promise.all([1, 2, 3, 4].map((n) => made(`Many ${n}`, [{ url }])));
    await Promise.all(products.map((one) => shop.commerce('PATCH', `/products/${one.id}`, { images: [] })));
    expect(await deleteAfterOf(picture)).not.toBeNull();
  });
});

test('unused pictures are removed with their bytes after their time, others stay', async () => {
  const unused = (await upload(server, owner, id, await drawn(80, 80))).body;
  const used = (await upload(server, owner, id, await drawn(81, 80))).body;
  await made('Keeper', [{ url: used.url }]);
  server.clock.advance(DAY + 60_000);
  owner = await testPerson(server, { [id]: 'owner' });
  await clean();
  expect((await fetch(unused.variants.thumb)).status).toBe(404);
  expect((await fetch(used.variants.thumb)).status).toBe(200);
  expect(await server.rows('select 1 from picture_contents where picture_id = $1', [unused.id])).toEqual([]);
  expect(await deleteAfterOf(unused.id)).toBeUndefined();
});

test('a picture that a product shows stays when the same file is uploaded again', async () => {
  const file = await drawn(85, 80);
  const { id: picture, variants } = (await upload(server, owner, id, file)).body;
  await made('Shown', [{ url: variants.large }]);
  expect((await upload(server, owner, id, file)).body.id).toBe(picture);
  expect(await deleteAfterOf(picture)).toBeNull();
  // It is not removed even if its deletion time was set by mistake.
  await server.rows('update pictures set delete_after = $2 where id = $1', [picture, server.clock.now()]);
  server.clock.advance(2 * DAY);
  owner = await testPerson(server, { [id]: 'owner' });
  await clean();
  expect((await fetch(variants.thumb)).status).toBe(200);
  await server.rows('update pictures set delete_after = null where id = $1', [picture]);
});

test('a picture has one address: with another hash, company, id or variant there is none', async () => {
  const { url } = (await upload(server, owner, id, await drawn(90, 90))).body;
  const path = new URL(url).pathname;
  for (const wrong of [
    path.replace(/-[0-9a-f]{32}/, `-${'a'.repeat(32)}`),
    path.replace(`/pictures/${id}/`, `/pictures/${id + 1}/`),
    path.replace(/\/(\d+)-/, '/99999999-'),
    path.replace('large', 'original'),
    '/pictures/x/y/z',
  ]) {
    const response = await server.request('GET', wrong);
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
  }
});
