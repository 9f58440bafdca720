/** Sizes in which a picture is shown: the most pixels of its longer side. Smaller pictures are not enlarged. */
export const VARIANTS = { thumb: 200, medium: 800, large: 2_000 } as const;

export type Variant = keyof typeof VARIANTS;

export const VARIANT_NAMES = Object.keys(VARIANTS) as Variant[];

/** The parts of a picture's address. */
export interface PictureRef {
  companyId: number;
  id: number;
  hash: string;
}

const PATH = /^\/pictures\/([1-9]\d{0,15})\/([1-9]\d{0,15})-([0-9a-f]{32})\/(thumb|medium|large)\.webp$/;

export function picturePath({ companyId, id, hash }: PictureRef, variant: Variant): string {
  return `/pictures/${companyId}/${id}-${hash}/${variant}.webp`;
}

/** Returns the picture that a path names, or null. */
export function readPicturePath(path: string): (PictureRef & { variant: Variant }) | null {
  const [, companyId, id, hash, variant] = PATH.exec(path) ?? [];
  if (hash === undefined) return null;
  return { companyId: Number(companyId), id: Number(id), hash, variant: variant as Variant };
}

/** Returns the company's picture that a URL names, under any host, since a CDN may be in front. */
export function pictureInUrl(url: string, companyId: number): PictureRef | null {
  const ref = readPicturePath(URL.parse(url)?.pathname ?? '');
  return ref?.companyId === companyId ? ref : null;
}
