export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const;

export type PictureType = (typeof PICTURE_TYPES)[number];

/** Brands of files with a picture in AV1; those with HEVC are not accepted. */
const AVIF = new Set(['avif', 'avis']);

/** Returns the type by the first bytes, whatever the sender claims; null for types that are not accepted, such as SVG. */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  if (bytes.length < 16) return null;
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(4, 8) === 'ftyp' && AVIF.has(text(8, 12))) return 'image/avif';
  return null;
}
