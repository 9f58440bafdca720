import type { schemas } from '../../api/schema.ts';

type Flow = schemas['Flow'];
type Step = Flow['steps'][number];

/** A step in the order in which a run reaches it, below the branch that leads there. */
export interface Line {
  step: Step;
  /** The branch of the step above; null if that has only its default branch. */
  branch: string | null;
  depth: number;
  /** Whether the step is listed above already: what follows it is not repeated. */
  again: boolean;
}

/** Returns the steps of a flow as an outline: a single default branch continues on the same level, other branches are indented. */
export function outlineOf({ steps, connections }: Pick<Flow, 'steps' | 'connections'>): {
  lines: Line[];
  loose: Step[];
} {
  const known = new Map(steps.map((step) => [step.step_id, step]));
  const lines: Line[] = [];
  const seen = new Set<string>();
  const follow = (from: string, depth: number): void => {
    const ways = connections.filter((one) => one.from === from && known.has(one.to));
    const isFork = ways.length > 1 || ways.some(({ branch }) => branch !== undefined && branch !== 'default');
    for (const { to, branch } of ways) {
      const step = known.get(to)!;
      const again = seen.has(to);
      seen.add(to);
      const below = isFork ? depth + 1 : depth;
      lines.push({ step, branch: isFork ? (branch ?? 'default') : null, depth: below, again });
      if (!again) follow(to, below);
    }
  };
  follow('trigger', 0);
  return { lines, loose: steps.filter(({ step_id }) => !seen.has(step_id)) };
}

/** Summarises the trigger's settings: the field with the date. */
export function triggerSummary({
  trigger_type: type,
  trigger_settings: settings,
}: Pick<Flow, 'trigger_type' | 'trigger_settings'>): string {
  const field = type === 'date_reached' ? (settings?.date_field ?? '') : '';
  return field.replace(/^contact\.(?:properties\.|custom\.)?/, '');
}

/** Summarises a step by its configuration: the subject of an e-mail, the time of a delay. */
export function summaryOf(step: Step): string {
  const config = (step.config ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (config[name] === undefined ? '' : String(config[name]));
  switch (step.type) {
    case 'send_email':
      return text('subject');
    case 'send_sms':
      return text('content');
    case 'delay':
      return `${text('value')} ${text('unit')}`.trim();
    case 'wait_until':
      return [text('date_field'), text('time')].filter(Boolean).join(' ');
    case 'wait_for_event':
    case 'track_event':
    case 'goal':
      return text('event_type');
    case 'add_tag':
    case 'remove_tag':
      return text('tag');
    case 'webhook':
      return text('url');
    case 'notify':
      return text('message');
    case 'exit':
      return text('reason');
    default:
      return '';
  }
}
