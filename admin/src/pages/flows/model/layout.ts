import { Graph, layout } from '@dagrejs/dagre';
import { branchOf, type Draft, type Position, TRIGGER, targetOf, type Way, waysOf } from './draft.ts';

/** Size of a step on the canvas, and the grid that the library's positions use. */
export const WIDTH = 230;
export const HEIGHT = 76;
const COLUMN = 280;
const ROW = 140;

export type Positions = Record<string, Position>;

/** Returns the position of each step and the trigger: from the API, else arranged. The trigger is at 0, 0. */
export function positionsOf(draft: Draft): Positions {
  const unplaced = draft.steps.filter(({ position }) => position === undefined);
  if (unplaced.length === draft.steps.length) return arranged(draft);
  const positions: Positions = { [TRIGGER]: { x: 0, y: 0 } };
  for (const { step_id, position } of draft.steps) if (position !== undefined) positions[step_id] = position;
  for (const { step_id } of unplaced) positions[step_id] = besides(draft, step_id, positions);
  return positions;
}

/** Places a step below the one that leads to it, in the first free column. */
function besides(draft: Draft, id: string, positions: Positions): Position {
  const above = draft.connections.find(({ from, to }) => to === id && positions[from] !== undefined);
  const lowest = Math.max(...Object.values(positions).map(({ y }) => y));
  const start = above === undefined ? { x: 0, y: lowest } : positions[above.from]!;
  return freePlace({ x: start.x, y: start.y + ROW }, Object.values(positions));
}

function freePlace(from: Position, taken: Position[]): Position {
  let place = from;
  const covers = (other: Position): boolean =>
    Math.abs(other.x - place.x) < WIDTH && Math.abs(other.y - place.y) < HEIGHT;
  while (taken.some(covers)) place = { x: place.x + COLUMN, y: place.y };
  return place;
}

function arranged(draft: Draft): Positions {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', ranksep: ROW - HEIGHT, nodesep: COLUMN - WIDTH });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = [TRIGGER, ...draft.steps.map(({ step_id }) => step_id)];
  for (const id of ids) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  // In the order of the branches, which is from left to right.
  for (const from of ids) {
    for (const branch of waysOf(draft, from)) {
      const to = targetOf(draft, from, branch);
      if (to !== null && to !== from && graph.hasNode(to)) graph.setEdge(from, to, {}, branch);
    }
  }
  layout(graph);
  const origin = graph.node(TRIGGER) as Position;
  return Object.fromEntries(
    ids.map((id) => {
      const { x, y } = graph.node(id) as Position;
      return [id, { x: Math.round(x - origin.x), y: Math.round(y - origin.y) }];
    }),
  );
}

/** Where steps have positions: returns the draft with room for a new step on a branch, and the position of that step. */
export function withRoom(draft: Draft, on: Way | null): { draft: Draft; position: Position | undefined } {
  if (!draft.steps.some(({ position }) => position !== undefined)) return { draft, position: undefined };
  const positions = positionsOf(draft);
  const all = Object.values(positions);
  if (on === null) {
    const lowest = Math.max(...all.map(({ y }) => y));
    return { draft, position: freePlace({ x: 0, y: lowest + ROW }, all) };
  }
  const above = positions[on.from] ?? { x: 0, y: 0 };
  const next = targetOf(draft, on.from, on.branch);
  const at = next === null ? undefined : positions[next];
  if (at === undefined || at.y <= above.y) {
    return { draft, position: freePlace({ x: above.x, y: above.y + ROW }, all) };
  }
  const below = followers(draft, next!);
  const missing = Math.max(0, above.y + ROW * 2 - at.y);
  const steps = draft.steps.map((step) => {
    const place = positions[step.step_id]!;
    const moves = below.has(step.step_id) && place.y >= at.y;
    return { ...step, position: moves ? { x: place.x, y: place.y + missing } : place };
  });
  const others = steps.flatMap(({ position }) => (position === undefined ? [] : [position]));
  return { draft: { ...draft, steps }, position: freePlace({ x: at.x, y: above.y + ROW }, others) };
}

/** The step and all that can be reached from it. */
function followers({ connections }: Draft, start: string): Set<string> {
  const found = new Set([start]);
  const front = [start];
  for (let id = front.pop(); id !== undefined; id = front.pop()) {
    for (const { from, to } of connections) {
      if (from !== id || found.has(to)) continue;
      found.add(to);
      front.push(to);
    }
  }
  return found;
}

/** What the arrangement depends on: the steps and their connections, not their contents. */
export function shapeOf({ steps, connections }: Draft): string {
  return JSON.stringify([
    steps.map((step) => [step.step_id, step.position]),
    connections.map((one) => [one.from, branchOf(one), one.to]),
  ]);
}
