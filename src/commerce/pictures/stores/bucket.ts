import { AwsClient } from 'aws4fetch';
import type { BucketSettings } from '../../../config.ts';
import { VARIANT_NAMES } from '../address.ts';
import type { ContentKey, PictureStore } from './store.ts';

const TIMEOUT_MS = 10_000;
/** No stored picture is longer: anything else is not read. */
const MAX_BYTES = 20 * 2 ** 20;

/** Stores pictures in a bucket of S3, or of a server with its protocol. The URL is that of the server with the bucket as path. */
export function createBucketStore({ url, region, keyId, secret }: BucketSettings): PictureStore {
  const client = new AwsClient({ accessKeyId: keyId, secretAccessKey: secret, service: 's3', region, retries: 0 });
  const base = url.replace(/\/+$/, '');
  const addressOf = ({ companyId, pictureId, name }: ContentKey): string =>
    `${base}/pictures/${companyId}/${pictureId}/${name === 'file' ? 'file.pdf' : `${name}.webp`}`;

  async function send(
    method: 'PUT' | 'GET' | 'DELETE',
    key: ContentKey,
    body?: Buffer<ArrayBuffer>,
  ): Promise<Response> {
    const request = await client.sign(addressOf(key), {
      method,
      ...(body === undefined
        ? {}
        : { body, headers: { 'Content-Type': key.name === 'file' ? 'application/pdf' : 'image/webp' } }),
    });
    const response = await fetch(request, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok || (response.status === 404 && method !== 'PUT')) return response;
    await response.body?.cancel();
    throw new Error(`the bucket of pictures refused a ${method} with status ${response.status}`);
  }

  async function* pieces(key: ContentKey): AsyncGenerator<Buffer> {
    const response = await send('GET', key);
    if (response.status === 404 || response.body === null) {
      await response.body?.cancel();
      return;
    }
    for await (const piece of response.body) yield Buffer.from(piece);
  }

  return {
    name: 'bucket',
    pieces,
    async put(key, content) {
      const response = await send('PUT', key, Buffer.from(content));
      await response.body?.cancel();
    },
    async get(key) {
      const response = await send('GET', key);
      const length = Number(response.headers.get('content-length') ?? Number.NaN);
      if (response.status === 404 || !(length <= MAX_BYTES)) {
        await response.body?.cancel();
        if (response.status === 404) return null;
        throw new Error('the bucket of pictures gave something of unknown or excessive length');
      }
      return Buffer.from(await response.arrayBuffer());
    },
    async remove(companyId, pictureId) {
      for (const name of [...VARIANT_NAMES, 'file'] as const) {
        const response = await send('DELETE', { companyId, pictureId, name });
        await response.body?.cancel();
      }
    },
  };
}
