import { UsageError } from './output.ts';

/** Reads an option's value. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new UsageError(`${text} is not a whole number`);
  return value;
}
