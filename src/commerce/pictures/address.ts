/** Sizes in which a picture is shown: the most pixels of its longer side. Smaller pictures are not enlarged. */
export const VARIANTS = { thumb: 200, medium: 800, large: 2_000 } as const;

export type Variant = keyof typeof VARIANTS;

export const VARIANT_NAMES = Object.keys(VARIANTS) as Variant[];

/** The contents that are stored: three of a picture, one of a PDF file. */
export type ContentName = Variant | 'file';

/** The parts of a picture's address. */
export interface PictureRef {
  companyId: number;
  id: number;
  hash: string;
}

const PATH = /^\/pictures\/([1-9]\d{0,15})\/([1-9]\d{0,15})-([0-9a-f]{32})\/(?:(thumb|medium|large)\.webp|file\.pdf)$/;

export function picturePath({ companyId, id, hash }: PictureRef, name: ContentName): string {
  return `/pictures/${companyId}/${id}-${hash}/${name === 'file' ? 'file.pdf' : `${name}.webp`}`;
}

/** Returns the content that a path names, or null. */
export function readPicturePath(path: string): (PictureRef & { name: ContentName }) | null {
  const [, companyId, id, hash, variant = 'file'] = PATH.exec(path) ?? [];
  if (hash === undefined) return null;
  return { companyId: Number(companyId), id: Number(id), hash, name: variant as ContentName };
}

/** Returns the company's picture that a URL names, under any host, since a CDN may be in front. */
export function pictureInUrl(url: string, companyId: number): PictureRef | null {
  const ref = readPicturePath(URL.parse(url)?.pathname ?? '');
  return ref?.companyId === companyId && ref.name !== 'file' ? ref : null;
}
