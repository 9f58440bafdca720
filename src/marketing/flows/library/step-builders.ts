import type { RuleGroup } from '../../rules/language.ts';
import { type Definition, EMPTY_DEFINITION, TRIGGER } from '../definition/definition.ts';
import type { DraftStep } from '../definition/steps.ts';

export const ORDERED = { event_type: 'order_placed' };
export const QUIET = { start: '21:00', end: '08:00', timezone: 'contact' };

export function atLeast(field: string, value: number): RuleGroup {
  return { operator: 'and', rules: [{ field, comparison: 'greater_than_or_equal', value }] };
}

const COLUMN = 0;
const ROW_HEIGHT = 140;
const COLUMN_WIDTH = 280;

export function step(
  step_id: string,
  type: DraftStep['type'],
  name: string,
  config: Record<string, unknown>,
): DraftStep {
  return { step_id, type, name, config };
}

export function mail(step_id: string, subject: string, ...paragraphs: string[]): DraftStep {
  const body = ['Hello {{ contact.first_name | default: "there" }},', ...paragraphs];
  const content = body.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return step(step_id, 'send_email', subject, { subject, content });
}

export function wait(step_id: string, value: number, unit: 'hours' | 'days'): DraftStep {
  return step(step_id, 'delay', `Wait ${value} ${unit}`, { value, unit });
}

/** Adds steps in a second column, each with its incoming connection. */
export function beside(
  definition: Definition,
  additions: { step: DraftStep; row: number; from: string; branch: string }[],
): void {
  for (const { step: each, row, from, branch } of additions) {
    definition.steps.push({ ...each, position: { x: COLUMN_WIDTH, y: row * ROW_HEIGHT } });
    definition.connections.push({ from, branch, to: each.step_id });
  }
}

/** Steps in one column, connected by their default branches. */
export function sequence(steps: DraftStep[], more: Partial<Definition> = {}): Definition {
  return {
    ...EMPTY_DEFINITION,
    steps: steps.map((each, i) => ({ ...each, position: { x: COLUMN, y: (i + 1) * ROW_HEIGHT } })),
    connections: steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? TRIGGER, to: step_id })),
    ...more,
  };
}
