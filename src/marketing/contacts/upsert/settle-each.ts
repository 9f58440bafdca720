import type { Settled } from '../../../db/batching/batch.ts';
import { AppError } from '../../../errors.ts';
import type { ContactDeed } from './working-set.ts';

/** Settles each item: `make` may refuse one (AppError), `run` settles the deeds of all others as one set. */
export async function settleEach<Item, Out>(
  items: Item[],
  make: (item: Item) => ContactDeed,
  run: (deeds: ContactDeed[]) => Promise<Settled<Out>[]>,
): Promise<Settled<Out>[]> {
  const settled = new Array<Settled<Out>>(items.length);
  const deeds: ContactDeed[] = [];
  const places: number[] = [];
  items.forEach((item, place) => {
    try {
      deeds.push(make(item));
      places.push(place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      settled[place] = { ok: false, error };
    }
  });
  const outcomes = deeds.length === 0 ? [] : await run(deeds);
  places.forEach((place, i) => {
    settled[place] = outcomes[i]!;
  });
  return settled;
}
