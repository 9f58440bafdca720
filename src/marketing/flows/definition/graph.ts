import type { QuietHours } from '../../../recipients/quiet-hours.ts';
import { type Definition, TRIGGER } from './definition.ts';
import type { EventMatch } from './schemas.ts';
import { branchesOf, type DraftStep, type Step } from './steps.ts';

/** A checked definition, compiled for execution. */
export interface Graph {
  readonly steps: ReadonlyMap<string, Step>;
  readonly exitOn: readonly EventMatch[];
  readonly goal: EventMatch | null;
  readonly quietHours: QuietHours | null;
  /** Event types that concern a run at any step: those of exit_on, of the goal and of goal steps. */
  readonly listens: readonly string[];
  /** `listens` and the types that wait_for_event steps wait for. */
  readonly awaits: readonly string[];
  /** The step after a branch; null if the run ends there. */
  next(from: string, branch: string): string | null;
  /** Goal steps that can still be reached from a step (from the trigger: null), nearest first. */
  goalsAhead(from: string | null): readonly (Step & { type: 'goal' })[];
}

/** Compiles a definition that passed `checkGraph`. */
export function compileGraph(definition: Definition): Graph {
  const steps = new Map(definition.steps.map((step) => [step.step_id, { ...step, config: step.config ?? {} } as Step]));
  const next = edgesOf(definition);
  const goals = [...steps.values()].filter((step) => step.type === 'goal');
  const matches = [...definition.exit_on, ...(definition.goal === null ? [] : [definition.goal])];
  const listens = new Set([...matches, ...goals.map((step) => step.config)].map((match) => match.event_type));
  const awaits = new Set(listens);
  for (const step of steps.values()) if (step.type === 'wait_for_event') awaits.add(step.config.event_type);

  const ahead = new Map<string, readonly (Step & { type: 'goal' })[]>();
  function goalsAhead(from: string | null): readonly (Step & { type: 'goal' })[] {
    if (goals.length === 0) return [];
    const start = from ?? TRIGGER;
    let found = ahead.get(start);
    if (found === undefined) {
      found = reachableFrom(next, start)
        .map((id) => steps.get(id)!)
        .filter((step) => step.type === 'goal');
      ahead.set(start, found);
    }
    return found;
  }

  return {
    steps,
    exitOn: definition.exit_on,
    goal: definition.goal,
    quietHours: definition.quiet_hours,
    listens: [...listens],
    awaits: [...awaits],
    next: (from, branch) => next.get(from)?.get(branch) ?? null,
    goalsAhead,
  };
}

/** Where each branch of each step leads. */
type Edges = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function edgesOf(definition: Pick<Definition, 'connections'>): Edges {
  const edges = new Map<string, Map<string, string>>();
  for (const { from, to, branch = 'default' } of definition.connections) {
    const branches = edges.get(from);
    if (branches === undefined) edges.set(from, new Map([[branch, to]]));
    else branches.set(branch, to);
  }
  return edges;
}

/** The steps reachable from `start`, nearest first; `start` itself only through a loop. */
export function reachableFrom(edges: Edges, start: string): string[] {
  const found = new Set<string>();
  let front = [start];
  while (front.length > 0) {
    const further: string[] = [];
    for (const id of front) {
      for (const to of edges.get(id)?.values() ?? []) {
        if (found.has(to)) continue;
        found.add(to);
        further.push(to);
      }
    }
    front = further;
  }
  return [...found];
}

/** Whether a run waits at the step. A delay of 0 is not a wait. */
export function isWait(step: DraftStep): boolean {
  if (step.type === 'delay') return Number(step.config?.value) > 0;
  return step.type === 'wait_until' || step.type === 'wait_for_event';
}

/** The first step, in the order of the definition, on a loop without any wait. */
export function stepOnBusyLoop(definition: Pick<Definition, 'steps' | 'connections'>): string | null {
  const waits = new Set(definition.steps.filter(isWait).map((step) => step.step_id));
  const busy = {
    connections: definition.connections.filter(({ from, to }) => !waits.has(from) && !waits.has(to)),
  };
  const edges = edgesOf(busy);
  return definition.steps.find((step) => reachableFrom(edges, step.step_id).includes(step.step_id))?.step_id ?? null;
}

/** Whether the step has the branch. */
export function hasBranch(step: DraftStep, branch: string): boolean {
  return branchesOf(step).includes(branch);
}
