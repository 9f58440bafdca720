/** What `tar` knows of a file, in the form of POSIX ustar, which is what PostgreSQL writes. */
export interface Entry {
  path: string;
  type: 'file' | 'folder';
  mode: number;
  size: number;
}

export const BLOCK = 512;
/** Two empty blocks end an archive. */
export const END = Buffer.alloc(2 * BLOCK);

/** The header block of a file. PostgreSQL's own names have at most 99 bytes, as have the names passed here. */
export function fileHeader(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0, 100, 'latin1');
  block.write('0000600\0', 100, 'latin1');
  block.write('0000000\0'.repeat(2), 108, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(`${'0'.repeat(11)}\0`, 136, 'latin1');
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The empty bytes that fill a file's last block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Takes the content of an entry. */
export interface Sink {
  write(part: Buffer): Promise<void>;
  /** Follows the last part. */
  end(): Promise<void>;
  /** Takes the place of `end` where the reading ends early. */
  abandon(): Promise<void>;
}

/**
 * Reads an archive in one pass. Calls `open` once for each entry.
 * @throws Error when the bytes are not an archive, or end early
 */
export async function readTar(chunks: AsyncIterable<Buffer>, open: (entry: Entry) => Promise<Sink>): Promise<void> {
  let file: Sink | undefined;
  let left = 0;
  let skip = 0;
  let header = Buffer.alloc(0);
  let ended = false;
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const part = chunk.subarray(at, at + left);
          await file!.write(part);
          left -= part.length;
          at += part.length;
        } else if (skip > 0) {
          const part = Math.min(skip, chunk.length - at);
          skip -= part;
          at += part;
        } else {
          const part = chunk.subarray(at, at + BLOCK - header.length);
          header = Buffer.concat([header, part]);
          at += part.length;
          if (header.length < BLOCK) continue;
          const entry = parseHeader(header);
          header = Buffer.alloc(0);
          if (entry === null) {
            ended = true;
            continue;
          }
          if (ended) throw new Error('The archive continues after its end');
          file = await open(entry);
          left = entry.size;
          skip = padding(entry.size).length;
        }
        if (left === 0 && file !== undefined) {
          await file.end();
          file = undefined;
        }
      }
    }
    if (!ended || file !== undefined) throw new Error('The archive is not complete: it ends in the middle');
  } catch (error) {
    // The first error says what happened.
    await file?.abandon().catch(() => {});
    throw error;
  }
}

/** null for an empty block. */
function parseHeader(block: Buffer): Entry | null {
  if (block.every((byte) => byte === 0)) return null;
  if (octal(block, 148, 8) !== checksum(block) || text(block, 257, 5) !== 'ustar') {
    throw new Error('This is no archive, or it is damaged');
  }
  const prefix = text(block, 345, 155);
  const type = block[156];
  if (type !== 0x30 && type !== 0x35) throw new Error(`The archive has an entry that is neither a file nor a folder`);
  return {
    path: (prefix === '' ? '' : `${prefix}/`) + text(block, 0, 100),
    type: type === 0x35 ? 'folder' : 'file',
    mode: octal(block, 100, 8) & 0o777,
    size: type === 0x35 ? 0 : octal(block, 124, 12),
  };
}

/** Computed over the block with its own checksum field read as blanks. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 0x20 : block[i]!;
  return sum;
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
}

function octal(block: Buffer, at: number, length: number): number {
  return Number.parseInt(text(block, at, length).trim(), 8);
}
