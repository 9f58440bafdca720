import { expect, test } from 'vitest';
import { errorOf } from '../../../admin/src/api/errors.ts';
import { newCategory } from '../../../admin/src/pages/categories/new-category.ts';
import { testServer } from '../harness.ts';

const server = testServer();

test('a category that exists under another spelling is chosen instead of created, and named', async () => {
  const shop = await server.company();
  const add = (name: string) =>
    newCategory(
      async () => {
        const { status, body } = await shop.commerce('POST', '/categories', { name });
        if (status !== 201) throw errorOf(status, body);
        return body.data;
      },
      async (slug) => (await shop.commerce('GET', `/categories/${slug}`)).body.data,
    );
  expect(await add('Copper ware')).toEqual({ slug: 'copper-ware', name: 'Copper ware', isNew: true });
  expect(await add('Copper ware!')).toEqual({ slug: 'copper-ware', name: 'Copper ware', isNew: false });
  await expect(add('')).rejects.toMatchObject({ code: 'validation_failed' });
});
