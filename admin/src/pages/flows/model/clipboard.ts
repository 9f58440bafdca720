import { branchOf, type Connection, connectionOf, type Draft, type Step, type Way } from './draft.ts';
import { freeId, idsOf, STEP_TYPES } from './new-step.ts';

/** Copied steps with the connections among them: JSON text that can be pasted into any flow of any shop. */
export interface Clip {
  steps: Step[];
  connections: Connection[];
}

const OFFSET = 40;

export function copied(draft: Draft, ids: readonly string[]): Clip {
  const chosen = new Set(ids);
  return {
    steps: draft.steps.filter(({ step_id }) => chosen.has(step_id)),
    connections: draft.connections.filter(({ from, to }) => chosen.has(from) && chosen.has(to)),
  };
}

export function textOfClip(clip: Clip): string {
  return JSON.stringify({ tradeloom: 'flow-steps', ...clip }, null, 2);
}

/** Parses the steps in a text, also that of a whole flow; null where it has none. The server validates their configurations. */
export function readClip(text: string): Clip | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || !Array.isArray(value.steps) || value.steps.length === 0) return null;
  const steps = value.steps.filter(isStep);
  if (steps.length < value.steps.length) return null;
  const given: unknown[] = Array.isArray(value.connections) ? value.connections : [];
  return { steps, connections: given.filter(isConnection) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isStep(value: unknown): value is Step {
  if (!isRecord(value)) return false;
  const { step_id, type, config } = value;
  const known = typeof step_id === 'string' && (STEP_TYPES as readonly unknown[]).includes(type);
  return known && (config === undefined || isRecord(config));
}

function isConnection(value: unknown): value is Connection {
  if (!isRecord(value)) return false;
  const { from, to, branch } = value;
  return typeof from === 'string' && typeof to === 'string' && ['undefined', 'string'].includes(typeof branch);
}

/** The ids that the steps of a clip get in a draft, by their previous ids. */
export function freshIds(draft: Draft, clip: Clip): Map<string, string> {
  const taken = idsOf(draft);
  const fresh = new Map<string, string>();
  for (const { step_id, type } of clip.steps) {
    if (fresh.has(step_id)) continue;
    const id = freeId(taken, type);
    taken.add(id);
    fresh.set(step_id, id);
  }
  return fresh;
}

/** Returns the draft with the clip's steps under new ids, the first of them connected to a branch that led nowhere. */
export function pasted(
  draft: Draft,
  clip: Clip,
  on: Way | null,
  connect: (draft: Draft, on: Way, to: string) => Draft,
): Draft {
  const fresh = freshIds(draft, clip);
  const placed = draft.steps.some(({ position }) => position !== undefined);
  const firsts = new Set<string>();
  const steps = clip.steps.flatMap((step): Step[] => {
    if (firsts.has(step.step_id)) return [];
    firsts.add(step.step_id);
    const { position, ...rest } = structuredClone(step);
    const at = placed && position !== undefined ? { x: position.x + OFFSET, y: position.y + OFFSET } : undefined;
    return [{ ...rest, step_id: fresh.get(step.step_id)!, ...(at === undefined ? {} : { position: at }) } as Step];
  });
  let next: Draft = { ...draft, steps: [...draft.steps, ...steps] };
  for (const one of clip.connections) {
    const { from, to } = connectionOf(fresh.get(one.from) ?? '', branchOf(one), fresh.get(one.to) ?? '');
    const free = !next.connections.some((other) => other.from === from && branchOf(other) === branchOf(one));
    if (free) next = connect(next, { from, branch: branchOf(one) }, to);
  }
  const [first] = steps;
  const open = on !== null && !next.connections.some((one) => one.from === on.from && branchOf(one) === on.branch);
  return open && first !== undefined ? connect(next, on, first.step_id) : next;
}
