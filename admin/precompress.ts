import { readdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * Compresses the files that the server sends once, at build time: next to each file with such an extension, one per encoding.
 * @param least bytes of a file that is worth it
 * @param withBrotli false where the room in the package is worth more than the bytes on the wire
 */
export async function precompress(
  folder: URL,
  endings: RegExp,
  { least = 1_000, withBrotli = true }: { least?: number; withBrotli?: boolean } = {},
): Promise<void> {
  const compress = async (file: string): Promise<void> => {
    const bytes = await readFile(new URL(file, folder));
    if (bytes.length < least) return;
    const quality = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    };
    await writeFile(new URL(`${file}.gz`, folder), await promisify(gzip)(bytes, { level: 9 }));
    if (withBrotli) await writeFile(new URL(`${file}.br`, folder), await promisify(brotliCompress)(bytes, quality));
  };
  const files = await readdir(folder, { recursive: true });
  await Promise.all(files.filter((file) => endings.test(file)).map(compress));
}
