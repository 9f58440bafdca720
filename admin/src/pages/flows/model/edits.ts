import { type Clip, pasted } from './clipboard.ts';
import {
  branchesOf,
  branchOf,
  type Connection,
  connectionOf,
  type Draft,
  type Position,
  type Step,
  type StepType,
  stepOf,
  TRIGGER,
  targetOf,
  type Way,
  waysOf,
} from './draft.ts';
import { withRoom } from './layout.ts';
import { whyNotConnect } from './loops.ts';
import { freeId, idsOf, newStep } from './new-step.ts';

/** All edits that the builder makes to a flow. */
export type Command =
  /** Adds a new step to a branch, before its previous target; without a branch, a step that nothing leads to. */
  | { do: 'add'; type: StepType; on: Way | null }
  | { do: 'connect'; on: Way; to: string }
  | { do: 'disconnect'; on: Way }
  /** Connections to a removed step lead to the one after it. */
  | { do: 'remove'; ids: readonly string[] }
  | { do: 'move'; positions: Readonly<Record<string, Position>> }
  /** Clears the positions, so that the steps are arranged automatically. */
  | { do: 'arrange' }
  | { do: 'change'; id: string; to: { name?: string; comment?: string; config?: object } }
  | { do: 'settings'; to: Partial<Omit<Draft, 'steps' | 'connections'>> }
  | { do: 'paste'; clip: Clip; on: Way | null };

/** Returns the draft after a command; the same object where nothing changes. */
export function apply(draft: Draft, command: Command): Draft {
  switch (command.do) {
    case 'add':
      return added(draft, command.type, command.on);
    case 'connect':
      return connected(draft, command.on, command.to);
    case 'disconnect':
      return { ...draft, connections: without(draft.connections, command.on) };
    case 'remove':
      return command.ids.reduce(removed, draft);
    case 'move':
      return mapSteps(draft, (step) => {
        const position = command.positions[step.step_id];
        return position === undefined ? step : { ...step, position };
      });
    case 'arrange':
      return mapSteps(draft, ({ position: _, ...step }) => step);
    case 'change':
      return changed(draft, command.id, command.to);
    case 'settings':
      return { ...draft, ...command.to };
    case 'paste':
      return pasted(draft, command.clip, command.on, connected);
  }
}

function mapSteps(draft: Draft, change: (step: Step) => Step): Draft {
  return { ...draft, steps: draft.steps.map(change) };
}

function without(connections: Connection[], { from, branch }: Way): Connection[] {
  return connections.filter((one) => one.from !== from || branchOf(one) !== branch);
}

function added(draft: Draft, type: StepType, on: Way | null): Draft {
  if (on !== null && !waysOf(draft, on.from).includes(on.branch)) return draft;
  const id = freeId(idsOf(draft), type);
  const { draft: roomy, position } = withRoom(draft, on);
  const step = newStep(id, type, position);
  const steps = [...roomy.steps, step];
  if (on === null) return { ...roomy, steps };
  const behind = targetOf(draft, on.from, on.branch);
  const onward = branchesOf(step)[0];
  const connections = [
    ...without(roomy.connections, on),
    connectionOf(on.from, on.branch, id),
    ...(behind === null || onward === undefined ? [] : [connectionOf(id, onward, behind)]),
  ];
  return { ...roomy, steps, connections };
}

function connected(draft: Draft, on: Way, to: string): Draft {
  const possible = waysOf(draft, on.from).includes(on.branch) && stepOf(draft, to) !== undefined;
  if (!possible || targetOf(draft, on.from, on.branch) === to) return draft;
  const freed = { ...draft, connections: without(draft.connections, on) };
  if (whyNotConnect(freed, on.from, to) !== null) return draft;
  return { ...freed, connections: [...freed.connections, connectionOf(on.from, on.branch, to)] };
}

function removed(draft: Draft, id: string): Draft {
  const step = stepOf(draft, id);
  if (step === undefined) return draft;
  const next = branchesOf(step)
    .map((branch) => targetOf(draft, id, branch))
    .find((to) => to !== null && to !== id);
  const before = draft.connections.filter(({ from, to }) => to === id && from !== id);
  const rest: Draft = {
    ...draft,
    steps: draft.steps.filter((one) => one !== step),
    connections: draft.connections.filter(({ from, to }) => from !== id && to !== id),
  };
  if (next == null) return rest;
  return before.reduce((now, one) => connected(now, { from: one.from, branch: branchOf(one) }, next), rest);
}

function changed(draft: Draft, id: string, to: { name?: string; comment?: string; config?: object }): Draft {
  const step = stepOf(draft, id);
  if (step === undefined) return draft;
  const next = { ...step, ...to } as Step;
  if (!next.name) delete next.name;
  if (!next.comment) delete next.comment;
  const steps = draft.steps.map((one) => (one === step ? next : one));
  const connections = carried(draft.connections, id, branchesOf(step), branchesOf(next));
  return { ...draft, steps, connections };
}

/** Connections follow a branch that is renamed at its index, and are removed with a branch. */
function carried(connections: Connection[], id: string, before: string[], after: string[]): Connection[] {
  if (id === TRIGGER || (before.length === after.length && before.every((branch, i) => branch === after[i])))
    return connections;
  const sameLength = before.length === after.length;
  const taken = new Set<string>();
  return connections.flatMap((one) => {
    if (one.from !== id) return [one];
    const branch = branchOf(one);
    const renamed = sameLength && !after.includes(branch) ? after[before.indexOf(branch)] : branch;
    if (renamed === undefined || !after.includes(renamed) || taken.has(renamed)) return [];
    taken.add(renamed);
    return [connectionOf(id, renamed, one.to)];
  });
}
