export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const;

export type PictureType = (typeof PICTURE_TYPES)[number];

/** Brands of the files that hold one picture in AV1; those of HEVC are not read. */
const AVIF = new Set(['avif', 'avis']);

/** What the bytes are by their beginning, whatever their sender says; null for what is not taken, such as SVG. */
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
