import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import Fastify from 'fastify';

export interface ReferenceScript {
  plain: Buffer;
  /** By gzip. */
  packed: Buffer;
}

/** In a published package, beside this file: the plugin and what it depends on are 16 MB, and take 200 ms and 40 MB to load. */
export const SHIPPED_SCRIPT = 'scalar.js.gz';

/** The script of the API reference: the one that was shipped, or from the package of development. */
export async function loadReferenceScript(): Promise<ReferenceScript> {
  const packed = await readShipped();
  if (packed !== null) return { plain: await promisify(gunzip)(packed), packed };
  const plain = await extractScript();
  return { plain, packed: await promisify(gzip)(plain) };
}

/** Scalar's script out of its Fastify plugin, which carries it inside and hands it out over HTTP only. */
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
