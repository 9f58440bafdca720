import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldError } from '../../../admin/src/api/errors.ts';
import { copied, readClip, textOfClip } from '../../../admin/src/pages/flows/model/clipboard.ts';
import {
  branchesOf,
  branchOf,
  changesOf,
  type Draft,
  draftOf,
  type Step,
  TRIGGER,
  waysOf,
} from '../../../admin/src/pages/flows/model/draft.ts';
import { apply, type Command } from '../../../admin/src/pages/flows/model/edits.ts';
import { edited, type History, historyOf, redone, undone } from '../../../admin/src/pages/flows/model/history.ts';
import { HEIGHT, positionsOf, WIDTH } from '../../../admin/src/pages/flows/model/layout.ts';
import { nextIn } from '../../../admin/src/pages/flows/model/moving.ts';
import { newStep, STEP_TYPES } from '../../../admin/src/pages/flows/model/new-step.ts';
import { problemsOf } from '../../../admin/src/pages/flows/model/problems.ts';
import { checkGraph } from '../../marketing/flows/definition/check.ts';
import { type Definition, EMPTY_DEFINITION } from '../../marketing/flows/definition/definition.ts';
import { stepOnBusyLoop } from '../../marketing/flows/definition/graph.ts';
import { branchesOf as branchesOfServer, STEP_TYPES as SERVER_TYPES } from '../../marketing/flows/definition/steps.ts';

const EMPTY = draftOf({ name: 'New', trigger_type: 'order_placed', ...EMPTY_DEFINITION } as Draft);
const run = (draft: Draft, ...commands: Command[]): Draft => commands.reduce(apply, draft);
const onTrigger = { from: TRIGGER, branch: 'default' };
const ways = (draft: Draft): string[] =>
  draft.connections.map((one) => `${one.from}.${branchOf(one)}>${one.to}`).sort();

/** What the server finds wrong with how the steps hang together; configurations and reach are another matter. */
function brokenGraph(draft: Draft): string[] {
  const errors = checkGraph(draft as unknown as Definition);
  const broken = errors.filter(({ field }) => /^connections|step_id/.test(field)).map(({ message }) => message);
  const busy = stepOnBusyLoop(draft as unknown as Definition);
  return busy === null ? broken : [...broken, `loop without a wait: ${busy}`];
}

describe('the model of the flow builder', () => {
  test('knows every step type of the API, and its branches', () => {
    expect([...STEP_TYPES].sort()).toEqual([...SERVER_TYPES].sort());
    for (const type of STEP_TYPES) {
      const step = newStep('x', type, undefined);
      expect(branchesOf(step)).toEqual(branchesOfServer(step));
    }
  });

  test('puts a new step between two, and bridges the gap of a removed one', () => {
    const two = run(
      EMPTY,
      { do: 'add', type: 'send_email', on: onTrigger },
      { do: 'add', type: 'delay', on: onTrigger },
    );
    expect(ways(two)).toEqual(['delay_1.default>send_email_1', 'trigger.default>delay_1']);
    const forked = run(two, { do: 'add', type: 'wait_for_event', on: { from: 'delay_1', branch: 'default' } });
    expect(ways(forked)).toContain('wait_for_event_1.received>send_email_1');
    expect(ways(run(forked, { do: 'remove', ids: ['wait_for_event_1'] }))).toEqual(ways(two));
    const apart = run(two, { do: 'remove', ids: ['delay_1'] }, { do: 'disconnect', on: onTrigger });
    expect(ways(apart)).toEqual([]);
  });

  test('refuses a loop without a wait, and what leads to the trigger', () => {
    const draft = run(
      EMPTY,
      { do: 'add', type: 'add_tag', on: onTrigger },
      { do: 'add', type: 'remove_tag', on: { from: 'add_tag_1', branch: 'default' } },
    );
    const back: Command = { do: 'connect', on: { from: 'remove_tag_1', branch: 'default' }, to: 'add_tag_1' };
    expect(apply(draft, back)).toBe(draft);
    expect(apply(draft, { ...back, to: TRIGGER })).toBe(draft);
    const withWait = run(draft, { do: 'add', type: 'delay', on: { from: 'add_tag_1', branch: 'default' } });
    expect(ways(apply(withWait, back))).toContain('remove_tag_1.default>add_tag_1');
  });

  test('carries connections along when a branch is renamed, and drops those of one that is gone', () => {
    const draft = run(
      EMPTY,
      { do: 'add', type: 'split', on: onTrigger },
      { do: 'add', type: 'add_tag', on: { from: 'split_1', branch: 'a' } },
      { do: 'add', type: 'exit', on: { from: 'split_1', branch: 'b' } },
    );
    const variants = (...keys: string[]) => ({ variants: keys.map((key) => ({ key, weight: 1 })) });
    const renamed = run(draft, { do: 'change', id: 'split_1', to: { config: variants('short', 'b') } });
    expect(ways(renamed)).toContain('split_1.short>add_tag_1');
    const fewer = run(renamed, { do: 'change', id: 'split_1', to: { config: variants('b') } });
    expect(ways(fewer)).toEqual(['split_1.b>exit_1', 'trigger.default>split_1']);
  });

  test('copies steps as text into another flow, under new ids', () => {
    const draft = run(
      EMPTY,
      { do: 'add', type: 'delay', on: onTrigger },
      { do: 'add', type: 'send_email', on: { from: 'delay_1', branch: 'default' } },
      { do: 'change', id: 'send_email_1', to: { name: 'Hello', comment: 'Ask Ada', config: { subject: 'Hi' } } },
    );
    const clip = readClip(textOfClip(copied(draft, ['delay_1', 'send_email_1'])))!;
    const other = run(EMPTY, { do: 'add', type: 'delay', on: onTrigger });
    const both = run(other, { do: 'paste', clip, on: { from: 'delay_1', branch: 'default' } });
    expect(ways(both)).toEqual(['delay_1.default>delay_2', 'delay_2.default>send_email_1', 'trigger.default>delay_1']);
    expect(both.steps.at(-1)).toEqual({
      step_id: 'send_email_1',
      type: 'send_email',
      name: 'Hello',
      comment: 'Ask Ada',
      config: { subject: 'Hi' },
    });
    expect(readClip('hello')).toBeNull();
    expect(readClip('{"steps": [{"step_id": "a", "type": "fly"}]}')).toBeNull();
  });

  test('makes room where steps have positions of their own', () => {
    const placed = run(
      EMPTY,
      { do: 'add', type: 'send_email', on: onTrigger },
      { do: 'move', positions: { send_email_1: { x: 0, y: 140 } } },
      { do: 'add', type: 'delay', on: onTrigger },
    );
    expect(placed.steps.map(({ step_id, position }) => [step_id, position])).toEqual([
      ['send_email_1', { x: 0, y: 280 }],
      ['delay_1', { x: 0, y: 140 }],
    ]);
    expect(run(placed, { do: 'arrange' }).steps.every((step) => !('position' in step))).toBe(true);
  });

  test('shows the errors of the server at the steps that they are about', () => {
    const sent = run(EMPTY, { do: 'add', type: 'send_email', on: onTrigger });
    const errors = [
      { field: 'steps.0.config', message: 'steps.0.config needs a template_id, or subject and content' },
      { field: 'connections.0.branch', message: 'connections.0.branch is not a branch of trigger: x' },
      { field: 'goal.event_type', message: 'goal.event_type refers to an unknown event type: x' },
    ];
    const inWords = (code: string, params: object | undefined) =>
      code === 'no_branch' ? `${code} ${JSON.stringify(params)}` : null;
    const coded: FieldError[] = [
      { ...errors[0]!, code: 'of_a_later_server', params: {} },
      { ...errors[1]!, code: 'no_branch', params: { name: 'x' } },
    ];
    expect(problemsOf(sent, coded, inWords).map(({ message }) => message)).toEqual([
      'needs a template_id, or subject and content',
      'no_branch {"name":"x"}',
    ]);
    expect(problemsOf(sent, errors, inWords)).toEqual([
      { id: 'send_email_1', path: 'config', message: 'needs a template_id, or subject and content' },
      { id: TRIGGER, path: '', message: 'is not a branch of trigger: x' },
      { id: TRIGGER, path: 'goal.event_type', message: 'goal.event_type refers to an unknown event type: x' },
    ]);
  });

  test('moves by arrow keys to the next step in that direction', () => {
    const positions = { a: { x: 0, y: 0 }, b: { x: -140, y: 140 }, c: { x: 140, y: 140 }, d: { x: 140, y: 280 } };
    expect(nextIn(positions, 'a', 'up')).toBeNull();
    expect(nextIn(positions, 'b', 'right')).toBe('c');
    expect(nextIn(positions, 'c', 'down')).toBe('d');
    expect(nextIn(positions, 'd', 'up')).toBe('c');
  });
});

/** A command for whatever the draft is then: numbers pick steps and branches. */
const intent = fc.record({
  what: fc.constantFrom('add', 'add', 'add', 'connect', 'disconnect', 'remove', 'move', 'arrange', 'rename', 'paste'),
  type: fc.constantFrom(...STEP_TYPES),
  from: fc.nat(1_000),
  branch: fc.nat(10),
  to: fc.nat(1_000),
  x: fc.integer({ min: -500, max: 500 }),
});
type Intent = typeof intent extends fc.Arbitrary<infer T> ? T : never;

function commandOf(draft: Draft, { what, type, from, branch, to, x }: Intent): Command {
  const ids = draft.steps.map(({ step_id }) => step_id);
  const pick = (n: number): string => ids[n % Math.max(1, ids.length)] ?? 'none';
  const source = from % (ids.length + 1) === 0 ? TRIGGER : pick(from);
  const branches = waysOf(draft, source);
  const on = { from: source, branch: branches[branch % Math.max(1, branches.length)] ?? 'default' };
  switch (what) {
    case 'add':
      return { do: 'add', type, on: branch === 0 ? null : on };
    case 'connect':
      return { do: 'connect', on, to: pick(to) };
    case 'disconnect':
      return { do: 'disconnect', on };
    case 'remove':
      return { do: 'remove', ids: [pick(from), pick(to)] };
    case 'move':
      return { do: 'move', positions: { [pick(to)]: { x, y: x } } };
    case 'rename': {
      const variants = ['a', 'b', 'c', `k${x}`].slice(branch % 3).map((key) => ({ key, weight: 1 }));
      const id = draft.steps.find((step) => step.type === 'split')?.step_id ?? 'none';
      return { do: 'change', id, to: { config: { variants } } };
    }
    case 'paste':
      return { do: 'paste', clip: copied(draft, [pick(from), pick(to)]), on };
    default:
      return { do: 'arrange' };
  }
}

describe('any edits', () => {
  const intents = fc.array(intent, { maxLength: 40 });
  const walk = (list: Intent[]): History =>
    list.reduce(
      (history, one) => edited(history, apply(history.present, commandOf(history.present, one))),
      historyOf(EMPTY),
    );

  test('leave a graph in which the server finds nothing broken', () => {
    fc.assert(
      fc.property(intents, (list) => {
        const { present, past } = walk(list);
        for (const draft of [...past, present]) expect(brokenGraph(draft)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('are undone and done again without a trace', () => {
    fc.assert(
      fc.property(intents, fc.nat(40), (list, times) => {
        const history = walk(list);
        let back = history;
        for (let n = 0; n < times; n++) back = undone(back);
        let again = back;
        for (let n = 0; n < times; n++) again = redone(again);
        expect(again.present).toEqual(history.present);
        expect(again.past).toEqual(history.past);
        for (let n = 0; n < 100; n++) back = undone(back);
        expect(back.present).toEqual(EMPTY);
        expect(changesOf(EMPTY, back.present)).toEqual({});
      }),
      { numRuns: 200 },
    );
  });

  test('draw every step once, none over another that was arranged', () => {
    fc.assert(
      fc.property(intents, (list) => {
        const draft = run(walk(list).present, { do: 'arrange' });
        const places = Object.entries(positionsOf(draft));
        expect(places.map(([id]) => id).sort()).toEqual([TRIGGER, ...draft.steps.map((step) => step.step_id)].sort());
        for (const [id, { x, y }] of places) {
          const over = places.filter(
            ([other, at]) => other !== id && Math.abs(at.x - x) < WIDTH && Math.abs(at.y - y) < HEIGHT,
          );
          expect(over).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('go through text to another flow without loss', () => {
    fc.assert(
      fc.property(intents, (list) => {
        const { steps, connections } = walk(list).present;
        const ids = steps.map(({ step_id }: Step) => step_id);
        const clip = readClip(textOfClip(copied({ ...EMPTY, steps, connections }, ids)));
        const arrived = steps.length === 0 ? EMPTY : run(EMPTY, { do: 'paste', clip: clip!, on: null });
        const inner = connections.filter(({ from }) => from !== TRIGGER);
        expect(arrived.steps.map((step) => step.config)).toEqual(steps.map((step) => step.config));
        expect(arrived.connections.length).toBe(inner.length);
      }),
      { numRuns: 100 },
    );
  });
});
