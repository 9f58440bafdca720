import { describe, expect, test } from 'vitest';
import { type Draft, draftOf } from '../../../admin/src/pages/flows/model/draft.ts';
import { type Passes, passedAlong } from '../../../admin/src/pages/flows/model/numbers.ts';
import { stepsWith } from '../../../admin/src/pages/flows/model/search.ts';
import { readFlow, textOfFlow } from '../../../admin/src/pages/flows/model/transfer.ts';
import { onOneLine } from '../../../admin/src/pages/flows/steps/free-key.ts';
import { sentEvent } from '../../../admin/src/pages/flows/trial/later-events.ts';
import { litBy, momentsOf } from '../../../admin/src/pages/flows/trial/path.ts';
import { differenceOf, isSame } from '../../../admin/src/pages/flows/versions/diff.ts';
import { EMPTY_DEFINITION } from '../../marketing/flows/definition/definition.ts';
import { LIBRARY } from '../../marketing/flows/library/library.ts';

const draftWith = (more: object): Draft =>
  draftOf({ name: 'New', trigger_type: 'order_placed', ...EMPTY_DEFINITION, ...more } as Draft);

test('the name of a branch stays as it was written, on one line', () => {
  expect(onOneLine('  Große Körbe: über 100 €\n ')).toBe('Große Körbe: über 100 €');
  expect(onOneLine('a \t\n b')).toBe('a b');
});

describe('a flow as a file', () => {
  test('comes back as it was, for every flow of the library', () => {
    for (const { name, trigger_type, definition } of LIBRARY) {
      const draft = draftWith({ name, trigger_type, ...definition });
      expect(readFlow(textOfFlow({ ...draft, flow_id: 7, stats: {} } as Draft))).toEqual(draft);
    }
  });

  test('is refused where it is none', () => {
    for (const text of ['', 'null', '{"name": "x"}', '{"name": "x", "trigger_type": "y", "steps": [{"type": "fly"}]}'])
      expect(readFlow(text)).toBeNull();
  });
});

describe('the numbers on connections', () => {
  test('are there for each: of branches that meet, and of the trigger', () => {
    const connections = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', branch: 'received', to: 'tag' },
      { from: 'wait', branch: 'timeout', to: 'tag' },
      { from: 'tag', to: 'wait' },
    ];
    const steps = [
      { step_id: 'wait', type: 'wait_for_event', config: { event_type: 'order_placed' } },
      { step_id: 'tag', type: 'add_tag', config: { tag: 'x' } },
    ];
    const numbers: Passes = {
      entered: 9,
      steps: new Map([
        ['wait', { passed: 7, branches: [{ branch: 'timeout', passed: 7 }] }],
        ['tag', { passed: 4, branches: [] }],
      ]),
    };
    const draft = draftWith({ steps, connections });
    expect(draft.connections.map((one) => passedAlong(draft, numbers, one))).toEqual([9, 0, 7, 4]);
  });
});

describe('the difference of two versions', () => {
  const before = draftWith({
    steps: [
      { step_id: 'wait', type: 'delay', config: { value: 1, unit: 'days' }, position: { x: 0, y: 0 } },
      { step_id: 'old', type: 'add_tag', config: { tag: 'x' } },
    ],
    connections: [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'old' },
    ],
  });

  test('names steps, the fields that changed, connections and settings', () => {
    const after = draftWith({
      goal: { event_type: 'order_placed' },
      steps: [
        { step_id: 'wait', type: 'delay', name: 'Wait', config: { unit: 'days', value: 2 } },
        { step_id: 'new', type: 'exit', config: {} },
      ],
      connections: [
        { from: 'trigger', to: 'wait' },
        { from: 'wait', branch: 'default', to: 'new' },
      ],
    });
    expect(differenceOf(before, after)).toMatchObject({
      added: [{ step_id: 'new' }],
      removed: [{ step_id: 'old' }],
      changed: [{ after: { step_id: 'wait' }, fields: ['name', 'value'] }],
      connected: ['wait default new'],
      disconnected: ['wait default old'],
      settings: ['goal'],
    });
  });

  test('is none where only positions, comments or the order of fields changed', () => {
    const [wait, old] = before.steps;
    const moved = { unit: 'days', value: 1 };
    const steps = [{ ...wait, config: moved, position: { x: 9, y: 9 }, comment: 'Hm' }, old];
    expect(isSame(differenceOf(before, { ...before, steps } as Draft))).toBe(true);
  });
});

describe('the path of a test run', () => {
  const path = [
    { at: '2026-03-15 12:00:00', step_id: 'wait', result: 'waiting' },
    { at: '2026-03-16 12:00:00', step_id: 'wait', result: 'default' },
    { at: '2026-03-16 12:00:00', step_id: 'tag', result: 'default' },
  ];
  const connections = [
    { from: 'trigger', to: 'wait' },
    { from: 'wait', to: 'tag' },
  ];

  test('is lit up to a moment', () => {
    const moments = momentsOf({ enters: true, path });
    expect(moments.map((at) => new Date(at).toISOString())).toEqual([
      '2026-03-15T12:00:00.000Z',
      '2026-03-16T12:00:00.000Z',
    ]);
    const first = litBy({ enters: true, path }, connections, moments[0]!);
    expect([...first.steps]).toEqual([
      ['trigger', 'passed'],
      ['wait', 'now'],
    ]);
    expect([...first.ways.keys()]).toEqual(['trigger default wait']);
    const last = litBy({ enters: true, path }, connections, moments[1]!);
    expect([...last.steps].at(-1)).toEqual(['tag', 'now']);
    expect([...last.ways.keys()]).toEqual(['trigger default wait', 'wait default tag']);
    expect(litBy({ enters: false, path: [] }, connections, 0).steps.size).toBe(0);
  });
});

test('a later event of a test run comes after the given minutes, and an invalid number is sent as typed', () => {
  const event = { id: 1, event_type: 'order_placed' };
  expect(sentEvent({ ...event, event_data: { total: 5 }, after: { value: 1.5, unit: 'hours' } })).toEqual({
    event_type: 'order_placed',
    event_data: { total: 5 },
    after_minutes: 90,
  });
  expect(sentEvent({ ...event, after: { value: 2, unit: 'weeks' } })).toMatchObject({ after_minutes: 20_160 });
  expect(sentEvent({ ...event, after: { value: 'soon', unit: 'days' } })).toMatchObject({ after_minutes: 'soon' });
  expect(sentEvent({ ...event, after: undefined })).toEqual({ event_type: 'order_placed', after_minutes: 0 });
});

test('a step is found by its name, type, comment and content', () => {
  const draft = draftWith({
    steps: [
      { step_id: 'a', type: 'send_email', config: { subject: 'Your order' } },
      { step_id: 'b', type: 'delay', name: 'Rest', comment: 'Ask Ada' },
    ],
  });
  const found = (text: string): string[] =>
    stepsWith(draft, text, (type) => (type === 'delay' ? 'Wait' : 'E-mail')).map(({ step_id }) => step_id);
  expect([found('ORDER'), found('ada'), found('wait'), found('e-mail'), found(' ')]).toEqual([
    ...[['a'], ['b'], ['b'], ['a'], []],
  ]);
});
