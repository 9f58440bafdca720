import { writeFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { VARIANT_NAMES, VARIANTS } from '../address.ts';
import { packed, type ResizeHead } from './protocol.ts';

/*
 * A separate process for one picture: reads the picture from standard input and writes the variants to standard output. If a damaged file
 * crashes a decoder or exhausts memory, only this process is affected.
 */

/** Most decoded pixels: a picture of 50 megapixels needs up to 400 MB unless it is a JPEG. */
const MAX_PIXELS = 50_000_000;
const QUALITY = 82;
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`);

/** If memory runs out, Linux ends this process before any other. */
function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch (error) {
    // Other systems have no such file, and some containers do not let it be written.
    if (!['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function resize(bytes: Buffer): Promise<Buffer> {
  // Applies the orientation and removes all metadata, which may say where a photo was taken.
  const original = sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' }).autoOrient();
  const contents: Buffer[] = [];
  let size = { width: 0, height: 0 };
  let source = original;
  // Each size is made from the next larger one, so that the original is decoded once.
  for (const variant of VARIANT_NAMES.toReversed()) {
    const side = VARIANTS[variant];
    const pixels = await source
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = pixels.info;
    const decoded = (): Sharp => sharp(pixels.data, { raw: { width, height, channels } });
    contents.unshift(await decoded().webp({ quality: QUALITY }).toBuffer());
    if (size.width === 0) size = { width, height };
    source = decoded();
  }
  const variants = VARIANT_NAMES.map((variant, i) => ({ variant, bytes: contents[i]!.length }));
  return packed({ ok: true, ...size, variants }, contents);
}

function failure(error: unknown): ResizeHead {
  const because = String(error).includes('exceeds pixel limit') ? 'pixels' : 'unreadable';
  return { ok: false, because };
}

offerMemory();
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
process.stdout.write(await resize(Buffer.concat(chunks)).catch((error: unknown) => packed(failure(error), [])));
