import { ApiError } from '../../api/errors.ts';

interface Named {
  slug: string;
  name: string;
}

/** Returns the category that `create` creates, or the one that has its slug already, read with `find`. Throws ApiError. */
export async function newCategory(
  create: () => Promise<Named>,
  find: (slug: string) => Promise<Named>,
): Promise<Named & { isNew: boolean }> {
  try {
    const { slug, name } = await create();
    return { slug, name, isNew: true };
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.code !== 'duplicate' || failure.slug === null) throw failure;
    const { slug, name } = await find(failure.slug);
    return { slug, name, isNew: false };
  }
}
