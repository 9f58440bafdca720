import { type Api, ok } from '../../../api/client.ts';

/** What an `accept` says; the server looks at the content. */
export const ACCEPTED = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

/** Uploads a picture and gives its address. @throws ApiError */
export async function uploadPicture(api: Api, file: Blob): Promise<string> {
  const body = { body: file, bodySerializer: (bytes: Blob) => bytes, headers: { 'Content-Type': 'image/*' } };
  return (await ok(api.POST('/pictures', body))).url;
}
