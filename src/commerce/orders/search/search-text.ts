import { foldText } from '../../../db/fold.ts';
import { areShort, codesOf, wordsOf } from '../../search.ts';

/** A parsed search for orders. */
export interface OrderSearch {
  /** The normalised text. */
  text: string;
  /** Normalised words, all of which must be found. */
  words: string[];
  /** Whether no word is long enough for an index. */
  isShort: boolean;
  /** The order number that it may be. */
  number: number | null;
  externalIds: string[];
  skus: string[];
  /** Normalised as in the index orders_tracking. */
  trackingNumber: string;
}

export function orderSearchOf(search: string): OrderSearch {
  const codes = codesOf(search);
  const words = wordsOf(search);
  const number = /^#?(\d{1,15})$/.exec(search.trim())?.[1];
  return {
    text: foldText(search),
    words,
    isShort: areShort(words),
    number: number === undefined ? null : Number(number),
    // Shops write #1001 for what people call 1001.
    externalIds: [...codes, ...codes.map((code) => `#${code}`)],
    skus: codes,
    trackingNumber: search.toLowerCase().replaceAll(' ', ''),
  };
}
