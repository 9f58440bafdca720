import { readdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const WORTH_COMPRESSING = 1_024;

/** Compresses the files that the server sends once, at build time: next to each file with such an extension, one per encoding. */
export async function precompress(folder: URL, endings: RegExp): Promise<void> {
  const compress = async (file: string): Promise<void> => {
    const bytes = await readFile(new URL(file, folder));
    if (bytes.length < WORTH_COMPRESSING) return;
    const quality = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    };
    await Promise.all([
      promisify(brotliCompress)(bytes, quality).then((packed) => writeFile(new URL(`${file}.br`, folder), packed)),
      promisify(gzip)(bytes, { level: 9 }).then((packed) => writeFile(new URL(`${file}.gz`, folder), packed)),
    ]);
  };
  const files = await readdir(folder, { recursive: true });
  await Promise.all(files.filter((file) => endings.test(file)).map(compress));
}
