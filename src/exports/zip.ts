import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of an archive. Its length is known only once it has been read. */
export interface ZippedFile {
  name: string;
  pieces: AsyncIterable<string>;
}

/** Streams a ZIP archive, with ZIP64 since a table's file may be longer than 4 GB. A file is read once the one before has been. */
export async function* zipped(files: AsyncIterable<ZippedFile>, mtime: Date): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  zip.on('error', (error) => out.destroy(error));
  let content: Readable | undefined;

  async function fill(): Promise<void> {
    for await (const { name, pieces } of files) {
      content = Readable.from(pieces, { objectMode: false });
      zip.addReadStream(content, name, { mtime, forceZip64Format: true });
      await finished(content);
    }
    zip.end({ forceZip64Format: true, comment: '' });
  }

  const filling = fill();
  filling.catch((error: Error) => out.destroy(error));
  try {
    for await (const part of out) yield part as Buffer;
  } finally {
    out.destroy();
    // A client that has gone ends the reading of the file, and with it that of the others.
    content?.destroy();
    await filling.catch(() => {});
  }
}
