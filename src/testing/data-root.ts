import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const SHARED_MEMORY = '/dev/shm';
/** A run of the complete tier holds less at any time. */
const NEEDED_BYTES = 8 * 1024 ** 3;

/**
 * Where data folders of tests go: into memory where the machine has enough of it, since a run copies several hundred databases and throws all of
 * them away; otherwise where temporary files go.
 */
export function dataRoot(): string {
  return process.platform === 'linux' && Math.min(freemem(), freeBytes()) >= NEEDED_BYTES ? SHARED_MEMORY : tmpdir();
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
