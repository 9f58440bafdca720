import type { Variant } from '../address.ts';

/** The header that the process writes before the bytes of the variants, which follow in this order. */
export type ResizeHead =
  | { ok: true; width: number; height: number; variants: { variant: Variant; bytes: number }[] }
  | { ok: false; because: 'pixels' | 'unreadable' };

const LENGTH_BYTES = 4;

export function packed(head: ResizeHead, contents: readonly Buffer[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...contents]);
}

/** Returns null if the process ended before it had written everything. */
export function unpacked(bytes: Buffer): { head: ResizeHead; contents: Buffer[] } | null {
  if (bytes.length < LENGTH_BYTES) return null;
  let at = LENGTH_BYTES + bytes.readUInt32BE();
  if (bytes.length < at) return null;
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, at)) as ResizeHead;
  if (!head.ok) return { head, contents: [] };
  const contents = head.variants.map(({ bytes: length }) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  return at === bytes.length ? { head, contents } : null;
}
