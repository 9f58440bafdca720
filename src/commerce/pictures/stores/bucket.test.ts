import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkers } from '../../../jobs.ts';
import { testServer } from '../../../testing/harness.ts';
import { type TestPerson, testPerson } from '../../../testing/people.ts';
import { drawn, upload } from '../testing-pictures.ts';
import { createBucketStore } from './bucket.ts';
import { startTestBucket } from './testing-bucket.ts';

const bucket = await startTestBucket();
const server = testServer({ impatient: true, config: { bucket: bucket.settings } });
let company: number;
let owner: TestPerson;

beforeAll(async () => {
  company = (await server.company()).company_id;
  owner = await testPerson(server, { [company]: 'owner' });
});
afterAll(() => bucket.close());

test('pictures are put into the bucket, read from it and removed from it, each request signed', async () => {
  const { status, body } = await upload(server, owner, company, await drawn(300, 300));
  expect(status).toBe(201);
  expect([...bucket.objects.keys()].sort()).toEqual(
    ['large', 'medium', 'thumb'].map((variant) => `/shop-pictures/pictures/${company}/${body.id}/${variant}.webp`),
  );
  expect(await server.rows('select 1 from picture_contents')).toEqual([]);
  const shown = await fetch(body.variants.medium);
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(
    bucket.objects.get(`/shop-pictures/pictures/${company}/${body.id}/medium.webp`),
  );
  server.clock.advance(86_400_000 + 60_000);
  owner = await testPerson(server, { [company]: 'owner' });
  await createWorkers(server.app)
    .find(({ name }) => name === 'chores')!
    .runOnce();
  expect(bucket.objects.size).toBe(0);
});

test('an upload fails while the bucket fails, shows no picture, and its leftovers are removed later', async () => {
  bucket.failing.status = 503;
  const failed = await upload(server, owner, company, await drawn(301, 300));
  expect([failed.status, failed.body.error]).toEqual([500, 'internal']);
  bucket.failing.status = null;
  const [row] = await server.rows<{ ready: boolean; delete_after: Date }>('select ready, delete_after from pictures');
  expect([row!.ready, row!.delete_after > server.clock.now()]).toEqual([false, true]);
  const again = await upload(server, owner, company, await drawn(301, 300));
  expect(again.status).toBe(201);
});

test('a request that is signed by another secret is refused', async () => {
  const wrong = createBucketStore({ ...bucket.settings, secret: 'wrong' });
  await expect(wrong.get({ companyId: 1, pictureId: 1, name: 'thumb' })).rejects.toThrow('403');
});

test('a missing object is null, and removing it is no error', async () => {
  const store = createBucketStore(bucket.settings);
  expect(await store.get({ companyId: 1, pictureId: 1, name: 'thumb' })).toBeNull();
  await store.remove(1, 1);
});
