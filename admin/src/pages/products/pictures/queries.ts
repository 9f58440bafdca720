import { type Api, ok } from '../../../api/client.ts';

/** The `accept` attribute of the input; the server checks the content. */
export const ACCEPTED = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

/** Uploads a picture and returns its address. @throws ApiError */
export async function uploadPicture(api: Api, file: Blob): Promise<string> {
  const body = { body: file, bodySerializer: (bytes: Blob) => bytes, headers: { 'Content-Type': 'image/*' } };
  return (await ok(api.POST('/pictures', body))).url;
}
