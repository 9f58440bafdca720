import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import Fastify from 'fastify';

export interface ReferenceScript {
  plain: Buffer;
  /** Compressed with gzip. */
  packed: Buffer;
}

/** In a published package the script is next to this file: the plugin and its dependencies are 16 MB and take 200 ms and 40 MB to load. */
export const SHIPPED_SCRIPT = 'scalar.js.gz';

/** Loads the script of the API reference: the shipped one or, in development, from the package. */
export async function loadReferenceScript(): Promise<ReferenceScript> {
  const packed = await readShipped();
  if (packed !== null) return { plain: await promisify(gunzip)(packed), packed };
  const plain = await extractScript();
  return { plain, packed: await promisify(gzip)(plain) };
}

/** Extracts Scalar's script from its Fastify plugin, which contains it but only serves it over HTTP. */
export async function extractScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi/commerce.json' } });
  const { rawPayload } = await carrier.inject('/docs/js/scalar.js');
  await carrier.close();
  return rawPayload;
}

async function readShipped(): Promise<Buffer | null> {
  try {
    return await readFile(new URL(SHIPPED_SCRIPT, import.meta.url));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
