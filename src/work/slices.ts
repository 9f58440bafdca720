import { monotonicMs } from '../clock.ts';
import type { Slice, SliceResult } from '../lib/slice.ts';

/** What a chore says that is to go on at the worker's next turn, not after its usual time. */
export const UNFINISHED = Symbol('unfinished');

/** One turn of a sliced chore: the others wait for no longer. */
const TURN_MS = 1_000;

/** Slice by slice for a turn; the next turn goes on where this one stopped. After a slice that fails it does so as well. */
export function inSlices<Place>(slice: Slice<Place>, turnMs = TURN_MS): () => Promise<typeof UNFINISHED | undefined> {
  let place: Place | null = null;
  return async () => {
    const ends = monotonicMs() + turnMs;
    do {
      place = (await slice(place)).next;
      if (place === null) return undefined;
    } while (monotonicMs() < ends);
    return UNFINISHED;
  };
}

/** All slices, one after the other; gives how much they did. */
export async function allSlices<Place>(slice: Slice<Place>): Promise<number> {
  let done = 0;
  let place: Place | null = null;
  do {
    const result: SliceResult<Place> = await slice(place);
    done += result.done;
    place = result.next;
  } while (place !== null);
  return done;
}
