import { LRUCache } from 'lru-cache';

export type TextCache<V extends NonNullable<unknown>> = LRUCache<string, V>;

/**
 * A bounded cache of what is costly to make from a text: at most `maxEntries` entries and `maxSize` of what their sizes add up
 * to. The size of an entry is its key's length, unless `set` is given `{ size }`. What exceeds `maxSize` alone is not kept.
 */
export function createTextCache<V extends NonNullable<unknown>>(maxEntries: number, maxSize: number): TextCache<V> {
  // The library takes no size below 1.
  return new LRUCache({ max: maxEntries, maxSize, sizeCalculation: (_value, key) => Math.max(1, key.length) });
}
