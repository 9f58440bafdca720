import { writeFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { VARIANT_NAMES, VARIANTS } from '../address.ts';
import { packed, type ResizeHead } from './protocol.ts';

/*
 * A process of its own for one picture: it reads the picture from its standard input and writes the variants to its standard
 * output. What a damaged file does to the decoders, or to memory, it does to this process.
 */

/** Decoded pixels: a picture of 50 megapixels needs up to 400 MB where its format is no JPEG. */
const MAX_PIXELS = 50_000_000;
const QUALITY = 82;
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`);

/** Where memory runs out, Linux ends this process before any other. */
function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch (error) {
    // Other systems have no such file, and some containers do not let it be written.
    if (!['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function resize(bytes: Buffer): Promise<Buffer> {
  // Orientation is applied, and all metadata is left out: a photo may say where it was taken.
  const original = sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' }).autoOrient();
  const contents: Buffer[] = [];
  let size = { width: 0, height: 0 };
  let source = original;
  // Each size from the one above it: the original is decoded once.
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
