import { expect, test } from 'vitest';
import { errorOf } from '../../../admin/src/api/errors.ts';
import { slugOfNew } from '../../../admin/src/pages/categories/slug-of-new.ts';
import { testServer } from '../harness.ts';

const server = testServer();

test('a category that exists under another spelling is chosen instead of created', async () => {
  const shop = await server.company();
  const add = (name: string) =>
    slugOfNew(async () => {
      const { status, body } = await shop.commerce('POST', '/categories', { name });
      if (status !== 201) throw errorOf(status, body);
      return { slug: body.data.slug };
    });
  expect(await add('Copper ware')).toBe('copper-ware');
  expect(await add('Copper ware!')).toBe('copper-ware');
  await expect(add('')).rejects.toMatchObject({ code: 'validation_failed' });
});
