import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file of an archive. Its length is known only once it has been read. */
export interface ZippedFile {
  name: string;
  pieces: AsyncIterable<string>;
}

/** The version with ZIP64 extensions, since a table's file may be longer than 4 GB. */
const VERSION = 45;
/** Sizes follow the content; names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const IN_EXTRA = 0xffffffff;

interface Entry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** Streams a ZIP archive: only the names and sizes of its files are kept in memory. @see APPNOTE.TXT 6.3, sections 4.3 and 4.5.3 */
export async function* zipped(files: AsyncIterable<ZippedFile>, at: Date): AsyncGenerator<Buffer> {
  const entries: Entry[] = [];
  let offset = 0;
  for await (const file of files) {
    const entry = { name: Buffer.from(file.name), crc: 0, packed: 0, size: 0, offset };
    const head = headOf(entry, at);
    yield head;
    for await (const part of deflated(file.pieces, entry)) yield part;
    const after = Buffer.alloc(24);
    after.writeUInt32LE(0x08074b50, 0);
    after.writeUInt32LE(entry.crc, 4);
    after.writeBigUInt64LE(BigInt(entry.packed), 8);
    after.writeBigUInt64LE(BigInt(entry.size), 16);
    yield after;
    offset += head.length + entry.packed + after.length;
    entries.push(entry);
  }
  let length = 0;
  for (const entry of entries) {
    const record = directoryEntryOf(entry, at);
    length += record.length;
    yield record;
  }
  yield endOf(entries.length, offset, length);
}

/** Compresses the pieces and updates the entry's checksum and sizes as it goes. */
async function* deflated(pieces: AsyncIterable<string>, entry: Entry): AsyncGenerator<Buffer> {
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      yield bytes;
    }
  }
  const packer = createDeflateRaw();
  const fed = pipeline(counted(), packer).catch((error: unknown) => packer.destroy(error as Error));
  try {
    for await (const part of packer as AsyncIterable<Buffer>) {
      entry.packed += part.length;
      yield part;
    }
  } finally {
    packer.destroy();
    await fed;
  }
}

/** Seconds are stored as halves and years start at 1980, as in DOS. */
function dosTime(at: Date): { time: number; date: number } {
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

function headOf({ name }: Entry, at: Date): Buffer {
  const head = Buffer.alloc(30);
  const { time, date } = dosTime(at);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(FLAGS, 6);
  head.writeUInt16LE(DEFLATED, 8);
  head.writeUInt16LE(time, 10);
  head.writeUInt16LE(date, 12);
  head.writeUInt32LE(IN_EXTRA, 18);
  head.writeUInt32LE(IN_EXTRA, 22);
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(20, 28);
  return Buffer.concat([head, name, extraOf([0, 0])]);
}

function extraOf(sizes: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * sizes.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * sizes.length, 2);
  for (const [i, size] of sizes.entries()) extra.writeBigUInt64LE(BigInt(size), 4 + 8 * i);
  return extra;
}

function directoryEntryOf({ name, crc, packed, size, offset }: Entry, at: Date): Buffer {
  const record = Buffer.alloc(46);
  const { time, date } = dosTime(at);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(VERSION, 4);
  record.writeUInt16LE(VERSION, 6);
  record.writeUInt16LE(FLAGS, 8);
  record.writeUInt16LE(DEFLATED, 10);
  record.writeUInt16LE(time, 12);
  record.writeUInt16LE(date, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(IN_EXTRA, 20);
  record.writeUInt32LE(IN_EXTRA, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(28, 30);
  record.writeUInt32LE(IN_EXTRA, 42);
  return Buffer.concat([record, name, extraOf([size, packed, offset])]);
}

function endOf(entries: number, offset: number, length: number): Buffer {
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(VERSION, 12);
  end.writeUInt16LE(VERSION, 14);
  end.writeBigUInt64LE(BigInt(entries), 24);
  end.writeBigUInt64LE(BigInt(entries), 32);
  end.writeBigUInt64LE(BigInt(length), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + length), 64);
  end.writeUInt32LE(1, 72);
  end.writeUInt32LE(0x06054b50, 76);
  end.writeUInt16LE(0xffff, 84);
  end.writeUInt16LE(0xffff, 86);
  end.writeUInt32LE(IN_EXTRA, 88);
  end.writeUInt32LE(IN_EXTRA, 92);
  return end;
}
