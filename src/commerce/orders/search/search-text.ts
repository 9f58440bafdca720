import { foldText } from '../../../db/fold.ts';
import { areShort, codesOf, wordsOf } from '../../search.ts';

/** What a search for orders says. */
export interface OrderSearch {
  /** Folded. */
  text: string;
  /** Folded, all of which must be found. */
  words: string[];
  /** Whether no word is long enough for an index. */
  isShort: boolean;
  /** The number of an order that it may be. */
  number: number | null;
  externalIds: string[];
  skus: string[];
  /** As the index orders_tracking has it. */
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
