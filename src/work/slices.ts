import { monotonicMs } from '../clock.ts';
import type { Slice, SliceResult } from '../lib/slice.ts';

/** Returned by a chore that continues at the worker's next turn instead of after its interval. */
export const UNFINISHED = Symbol('unfinished');

/** The maximum length of a turn of a sliced chore, so that other chores wait no longer than that. */
const TURN_MS = 1_000;

/** Runs slices for one turn. The next turn continues where this one stopped, also after a failed slice. */
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

/** Runs all slices in sequence. Returns the total done. */
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
