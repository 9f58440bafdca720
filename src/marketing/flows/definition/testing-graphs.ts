import fc from 'fast-check';
import type { Effect } from '../engine/run.ts';
import { type Connection, type Definition, EMPTY_DEFINITION, TRIGGER } from './definition.ts';
import { isWait } from './graph.ts';
import { branchesOf, type DraftStep, type StepType } from './steps.ts';

/** Definitions for tests: short forms for hand-written ones, and arbitrary valid ones. */

export function step(step_id: string, type: DraftStep['type'], config: Record<string, unknown> = {}): DraftStep {
  return { step_id, type, config };
}

/** A definition whose steps follow each other by their default branches, with `more` fields. */
export function chain(steps: DraftStep[], more: Partial<Definition> = {}): Definition {
  const connections = steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? TRIGGER, to: step_id }));
  return { ...EMPTY_DEFINITION, steps, connections, ...more };
}

export const WHEN_VIP = {
  operator: 'and' as const,
  rules: [{ field: 'contact.tags', comparison: 'contains' as const, value: 'vip' }],
};

/** The effect of each step type that has one and is left by its default branch. */
export const EFFECT_OF: Record<StepType, Effect['kind'] | null> = {
  send_email: 'message',
  send_sms: 'message',
  webhook: 'webhook',
  delay: null,
  wait_until: null,
  wait_for_event: null,
  branch: null,
  split: null,
  update_contact: 'contact',
  add_tag: 'contact',
  remove_tag: 'contact',
  add_to_list: 'membership',
  remove_from_list: 'membership',
  track_event: 'event',
  start_flow: 'start',
  notify: 'notification',
  goal: null,
  exit: null,
};

const config = fc.constantFrom<Omit<DraftStep, 'step_id'>>(
  { type: 'send_email', config: { subject: 'Hello', content: '<p>Hi</p>' } },
  { type: 'send_sms', config: { content: 'Hi' } },
  { type: 'webhook', config: { url: 'https://example.com/hook', save_as: 'response' } },
  { type: 'delay', config: { value: 0, unit: 'minutes' } },
  { type: 'delay', config: { value: 3, unit: 'hours' } },
  { type: 'wait_until', config: { time: '09:00' } },
  { type: 'wait_until', config: { weekdays: ['monday'], timezone: 'Europe/Berlin' } },
  { type: 'wait_until', config: { date_field: 'renews_on', offset: { value: -3, unit: 'days' } } },
  { type: 'wait_for_event', config: { event_type: 'order_placed', timeout: { value: 2, unit: 'days' } } },
  { type: 'wait_for_event', config: { event_type: 'product_viewed', since: 'flow_entry' } },
  { type: 'branch', config: { paths: [{ key: 'vip', conditions: WHEN_VIP }] } },
  {
    type: 'split',
    config: {
      variants: [
        { key: 'a', weight: 1 },
        { key: 'b', weight: 3 },
      ],
    },
  },
  { type: 'update_contact', config: { properties: { seen: true } } },
  { type: 'add_tag', config: { tag: 'vip' } },
  { type: 'remove_tag', config: { tag: 'vip' } },
  { type: 'add_to_list', config: { list_id: 1 } },
  { type: 'remove_from_list', config: { list_id: 1 } },
  { type: 'track_event', config: { event_type: 'flow_passed' } },
  { type: 'start_flow', config: { flow_id: 2 } },
  { type: 'notify', config: { message: 'Look' } },
  { type: 'goal', config: { event_type: 'order_completed' } },
  { type: 'exit', config: { reason: 'done' } },
);

/**
 * Every step is connected to a free branch of an earlier one. Of the other connections, those that lead back start at waits, so
 * that every loop has one.
 */
export const validDefinition: fc.Arbitrary<Definition> = fc
  .record({
    configs: fc.array(config, { minLength: 1, maxLength: 12 }),
    picks: fc.infiniteStream(fc.nat()),
    extra: fc.nat({ max: 6 }),
    exit: fc.boolean(),
    quiet: fc.boolean(),
  })
  .map(({ configs, picks, extra, exit, quiet }) => {
    const steps: DraftStep[] = [];
    const connections: Connection[] = [];
    const free: { from: string; branch: string; index: number }[] = [{ from: TRIGGER, branch: 'default', index: -1 }];
    const pick = (): number => picks.next().value as number;
    for (const made of configs) {
      const [hook] = free.length === 0 ? [] : free.splice(pick() % free.length, 1);
      if (hook === undefined) break;
      const added: DraftStep = { step_id: `s${steps.length}`, ...made };
      connections.push({ from: hook.from, branch: hook.branch, to: added.step_id });
      const index = steps.push(added) - 1;
      free.push(...branchesOf(added).map((branch) => ({ from: added.step_id, branch, index })));
    }
    for (let i = 0; i < extra && free.length > 0; i++) {
      const { from, branch, index } = free.splice(pick() % free.length, 1)[0]!;
      if (index < 0) continue;
      const lowest = isWait(steps[index]!) ? 0 : index + 1;
      if (lowest < steps.length)
        connections.push({ from, branch, to: steps[lowest + (pick() % (steps.length - lowest))]!.step_id });
    }
    const exit_on = exit ? [{ event_type: 'subscription_cancelled' }] : [];
    const quiet_hours = quiet ? { start: '21:00', end: '08:00' } : null;
    return { ...EMPTY_DEFINITION, steps, connections, exit_on, quiet_hours };
  });
