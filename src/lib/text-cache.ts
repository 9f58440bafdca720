import { LRUCache } from 'lru-cache';

export type TextCache<V extends NonNullable<unknown>> = LRUCache<string, V>;

/**
 * A bounded cache of values that are costly to compute from a text: at most `maxEntries` entries, whose sizes add up to at most `maxSize`.
 * The size of an entry is its key's length, unless `set` is passed `{ size }`. An entry larger than `maxSize` is not kept.
 */
export function createTextCache<V extends NonNullable<unknown>>(maxEntries: number, maxSize: number): TextCache<V> {
  // The library accepts no size below 1.
  return new LRUCache({ max: maxEntries, maxSize, sizeCalculation: (_value, key) => Math.max(1, key.length) });
}
