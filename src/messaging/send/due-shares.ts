import type { DueWork } from '../ledger/due-queries.ts';
import { LANES } from '../ledger/message.ts';

/** Minimum for lower lanes, however much is due in the lanes before them. */
const LEAST_FOR_LOWER_LANES = 20;

/** Starts at a different place each time, so that no company is always the last of its lane. */
export function rotate<Work extends DueWork>(work: Work[], by: number): Work[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  return lanes.flatMap((lane) => lane.map((_, i) => lane[(i + by) % lane.length]!));
}

/**
 * Divides a set among the places with due work. The first lane with any gets a whole set and each other lane a tenth of one, so that none
 * starves. Places within a lane share evenly.
 */
export function shareOut<Work extends DueWork>(work: Work[], size: number): { work: Work; limit: number }[] {
  const lanes = Object.values(LANES).map((lane) => work.filter((one) => one.lane === lane));
  const first = lanes.findIndex((places) => places.length > 0);
  return lanes.flatMap((places, lane) => {
    const room = lane === first ? size : Math.max(LEAST_FOR_LOWER_LANES, Math.ceil(size / 10));
    const limit = Math.ceil(room / places.length);
    return places.slice(0, room).map((place) => ({ work: place, limit }));
  });
}
