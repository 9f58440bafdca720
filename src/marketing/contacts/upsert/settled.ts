import type { Settled } from '../../../db/batching/batcher.ts';
import { AppError } from '../../../errors.ts';
import type { ContactUpsert } from './contact-upsert.ts';

/** Settles each item on its own: `make` may reject an item with an AppError; `run` settles the upserts of all others together. */
export async function settleEach<Item, Out>(
  items: Item[],
  make: (item: Item) => ContactUpsert,
  run: (upserts: ContactUpsert[]) => Promise<Settled<Out>[]>,
): Promise<Settled<Out>[]> {
  const settled = new Array<Settled<Out>>(items.length);
  const upserts: ContactUpsert[] = [];
  const places: number[] = [];
  items.forEach((item, place) => {
    try {
      upserts.push(make(item));
      places.push(place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled[place] = { ok: false, error };
    }
  });
  const outcomes = upserts.length === 0 ? [] : await run(upserts);
  places.forEach((place, i) => {
    settled[place] = outcomes[i]!;
  });
  return settled;
}

/** Returns the value, or throws the error if it was rejected. */
export function unwrap<T>(settled: Settled<T>): T {
  if (settled.ok) return settled.value;
  throw settled.error;
}

export function mapSettled<From, To>(settled: Settled<From>, map: (value: From) => To): Settled<To> {
  return settled.ok ? { ok: true, value: map(settled.value) } : settled;
}
