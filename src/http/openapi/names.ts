/** `promo-codes` → PromoCodes. */
export function pascal(word: string): string {
  return word.replace(/(?:^|[-_])(\w)/g, (_all, first: string) => first.toUpperCase());
}

/** `categories` → category, `orders` → order. */
export function singular(noun: string): string {
  return noun.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}
