import type { Value } from '../../../ui/form/values.ts';

export interface Picture {
  url: string;
  alt: string;
}

/** Form values are texts, so all pictures are one text. */
export function picturesIn(value: Value): Picture[] {
  return typeof value === 'string' && value !== '' ? (JSON.parse(value) as Picture[]) : [];
}

export function textOfPictures(pictures: Picture[]): string {
  return pictures.length === 0 ? '' : JSON.stringify(pictures.map(({ url, alt }) => ({ url, alt })));
}

/** In the API's form: the first is the primary picture. */
export function imagesOf(value: Value): object[] {
  return picturesIn(value).map((picture, i) => ({ ...picture, is_primary: i === 0 }));
}

/** Returns the list with one element at another index. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const others = list.filter((_, i) => i !== from);
  return [...others.slice(0, to), list[from]!, ...others.slice(to)];
}
