import { ApiError } from '../../api/errors.ts';

/** Returns the slug of the category that `create` creates, or of the one that has it already. Throws ApiError. */
export async function slugOfNew(create: () => Promise<{ slug: string }>): Promise<string> {
  try {
    return (await create()).slug;
  } catch (failure) {
    if (failure instanceof ApiError && failure.code === 'duplicate' && failure.slug !== null) return failure.slug;
    throw failure;
  }
}
