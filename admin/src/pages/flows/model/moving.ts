import type { Positions } from './layout.ts';

export type Direction = 'up' | 'down' | 'left' | 'right';

/** Returns the next step in the direction of an arrow key, preferring those straight ahead. */
export function nextIn(positions: Positions, from: string, direction: Direction): string | null {
  const here = positions[from];
  if (here === undefined) return null;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, { x, y }] of Object.entries(positions)) {
    const [right, down] = [x - here.x, y - here.y];
    const ahead = { up: -down, down, left: -right, right }[direction];
    const aside = Math.abs(direction === 'up' || direction === 'down' ? right : down);
    if (id === from || ahead <= 0) continue;
    const distance = ahead + aside * 2;
    if (distance < least) [best, least] = [id, distance];
  }
  return best;
}
