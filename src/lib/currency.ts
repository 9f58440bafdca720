/** Digits after the decimal point, where ISO 4217 says something other than 2. */
const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** Whether it is an ISO 4217 code, in upper case. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** How many decimals the ISO 4217 currency (upper case) has: 2 unless ISO says otherwise. */
export function exponentOf(currency: string): number {
  return EXPONENTS.get(currency) ?? 2;
}
