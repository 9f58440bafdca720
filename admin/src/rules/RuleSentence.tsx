import type { Subject } from './fields.ts';
import { type Offer, useProductNames } from './offer.ts';
import { productsIn, sentenceOf } from './sentence.ts';
import { useWords } from './words.ts';

/** The rules in one sentence. */
export function RuleSentence({ value, subject, offer }: { value: unknown; subject: Subject; offer: Offer }) {
  const products = useProductNames(productsIn(value, subject, offer.customFields));
  return sentenceOf(value, subject, useWords(offer, products));
}
