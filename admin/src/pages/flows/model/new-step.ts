import type { Config, Draft, Position, Step, StepType } from './draft.ts';

/** Initial configuration of a new step, so that it has its branches at once. */
const BEGINNINGS: { [T in StepType]?: Config<T> } = {
  delay: { value: 1, unit: 'days' },
  wait_for_event: { event_type: 'order_placed', timeout: { value: 3, unit: 'days' } },
  branch: { paths: [{ key: 'yes', conditions: { operator: 'and', rules: [] } }] },
  split: {
    variants: [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50 },
    ],
  },
  goal: { event_type: 'order_placed' },
};

/** Every type, in the order of the menu. */
export const KINDS = {
  send: ['send_email', 'send_sms', 'notify', 'webhook'],
  wait: ['delay', 'wait_until', 'wait_for_event'],
  decide: ['branch', 'split'],
  contact: ['add_tag', 'remove_tag', 'add_to_list', 'remove_from_list', 'update_contact'],
  run: ['track_event', 'start_flow', 'goal', 'exit'],
} as const satisfies Record<string, readonly StepType[]>;
export type Kind = keyof typeof KINDS;
export const STEP_TYPES: readonly StepType[] = Object.values(KINDS).flat();

export function kindOf(type: StepType): Kind {
  return (Object.keys(KINDS) as Kind[]).find((kind) => (KINDS[kind] as readonly StepType[]).includes(type)) ?? 'run';
}

/** The next free id of steps of the type: `send_email_1`. */
export function freeId(taken: ReadonlySet<string>, type: StepType): string {
  for (let n = 1; ; n++) if (!taken.has(`${type}_${n}`)) return `${type}_${n}`;
}

export const idsOf = ({ steps }: Pick<Draft, 'steps'>): Set<string> => new Set(steps.map(({ step_id }) => step_id));

/** The id that a new step of the type will have. */
export const nextId = (draft: Pick<Draft, 'steps'>, type: StepType): string => freeId(idsOf(draft), type);

export function newStep(step_id: string, type: StepType, position: Position | undefined): Step {
  const config = structuredClone(BEGINNINGS[type] ?? {});
  return { step_id, type, config, ...(position === undefined ? {} : { position }) } as Step;
}
