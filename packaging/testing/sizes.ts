import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

export const MEGABYTE = 1_000_000;

/** Bytes of all files below a folder, as an image counts them. */
export function bytesBelow(folder: string): number {
  return filesBelow(folder).reduce((sum, { size }) => sum + size, 0);
}

/** Bytes that the files below a folder take on the disk, in its blocks. */
export function bytesOnDisk(folder: string): number {
  return filesBelow(folder).reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

function filesBelow(folder: string): Stats[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => lstatSync(join(parentPath, name)))
    .filter((stats) => stats.isFile());
}
