import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syntaxFailure } from '../../../messaging/compose/liquid/render.ts';
import type { Comparison, RuleGroup } from '../../../rules/language.ts';
import { LIBRARY } from '../library/library.ts';
import { checkGraph, checkShape } from './check.ts';
import type { Definition } from './definition.ts';
import { reachableFrom, stepOnBusyLoop } from './graph.ts';
import { textErrors, textsOf } from './liquid-texts.ts';
import { chain, step, validDefinition } from './testing-graphs.ts';

const wrongTexts = ({ steps }: Definition) => {
  const texts = textsOf(steps);
  return textErrors(
    texts,
    texts.map(({ text }) => syntaxFailure(text)),
  );
};
const fields = (definition: Definition): string[] => checkGraph(definition).map(({ field }) => field);
const mail = step('mail', 'send_email', { template_id: 1 });

describe('a definition', () => {
  it('that is valid passes the check', () => {
    fc.assert(
      fc.property(validDefinition, (definition) => {
        expect(checkShape(definition)).toEqual([]);
        expect(checkGraph(definition)).toEqual([]);
      }),
    );
  });

  it('without steps is valid', () => {
    expect(checkGraph(chain([]))).toEqual([]);
  });

  it('of the library is valid', () => {
    expect(LIBRARY).toHaveLength(11);
    for (const { library_name, definition } of LIBRARY) {
      expect({ library_name, errors: checkGraph(definition) }).toEqual({ library_name, errors: [] });
    }
  });
});

describe('refused with the path of the error', () => {
  it('two steps with one id, and a step named trigger', () => {
    expect(fields(chain([mail, { ...mail }]))).toContain('steps.1.step_id');
    expect(fields(chain([{ ...mail, step_id: 'trigger' }]))).toContain('steps.0.step_id');
  });

  it('senders that are invalid in a From header, also in a draft; Liquid is not allowed in them', () => {
    const from = (sender: string) => chain([step('mail', 'send_email', { template_id: 1, from: sender })]);
    for (const sender of [
      'nobody',
      'Ann <ann@>',
      'a@b.example, c@d.example',
      '{{ contact.email }}',
      'A\r\nBcc: x <a@b.example>',
    ]) {
      expect(checkShape(from(sender)).map(({ field }) => field)).toEqual(['steps.0.config.from']);
      expect(fields(from(sender))).toEqual(['steps.0.config.from']);
    }
    for (const sender of ['', ' ', 'ann@shop.example', 'Ann <ann@shop.example>'])
      expect(fields(from(sender))).toEqual([]);
  });

  it('message texts with invalid Liquid, also in a draft', () => {
    const texts = {
      subject: 'Hi {{ contact.first_name }}',
      preview_text: '{{ vars.a | upcase }}',
      content: '<p>{{ x }}</p>',
    };
    const good = step('mail', 'send_email', texts);
    expect(fields(chain([good]))).toEqual([]);
    expect(wrongTexts(chain([good]))).toEqual([]);
    for (const wrong of ['{{ x | evil }}', '{% if x %}never ended', '{% include "x" %}', '{{ x']) {
      for (const name of ['subject', 'preview_text', 'content']) {
        const bad = chain([step('mail', 'send_email', { ...texts, [name]: wrong })]);
        expect(wrongTexts(bad).map(({ field }) => field)).toEqual([`steps.0.config.${name}`]);
      }
      const text = chain([step('text', 'send_sms', { content: wrong })]);
      expect(wrongTexts(text).map(({ field }) => field)).toEqual(['steps.0.config.content']);
    }
    const [error] = wrongTexts(chain([step('mail', 'send_email', { ...texts, content: 'a\n{{ x | evil }}' })]));
    expect(error!.message).toBe('steps.0.config.content: undefined filter: evil (line 2)');
  });

  it('connections from and to nowhere', () => {
    const definition = chain([mail]);
    definition.connections.push({ from: 'ghost', to: 'mail' }, { from: 'mail', to: 'ghost' });
    definition.connections.push({ from: 'mail', to: 'trigger' });
    expect(fields(definition)).toEqual(
      expect.arrayContaining(['connections.1.from', 'connections.2.to', 'connections.3.to']),
    );
  });

  it('connections by branches that their step does not have', () => {
    const ways = step('ways', 'branch', { paths: [{ key: 'a', conditions: { rules: [] } }] });
    for (const [branch, ok] of [
      ['a', true],
      ['else', true],
      ['default', false],
      ['b', false],
    ] as const) {
      const definition = chain([ways]);
      definition.steps.push(mail);
      definition.connections.push({ from: 'ways', branch, to: 'mail' });
      expect(fields(definition).includes('connections.1.branch')).toBe(!ok);
    }
    const stop = chain([step('stop', 'exit')]);
    stop.steps.push(mail);
    stop.connections.push({ from: 'stop', to: 'mail' });
    expect(fields(stop)).toContain('connections.1.branch');
  });

  it('two connections by the same branch', () => {
    const definition = chain([mail, step('tag', 'add_tag', { tag: 'x' })]);
    definition.connections.push({ from: 'trigger', to: 'tag' });
    expect(fields(definition)).toEqual(['connections.2']);
  });

  it('unreachable steps', () => {
    const definition = chain([mail]);
    definition.steps.push(step('island', 'add_tag', { tag: 'x' }));
    expect(fields(definition)).toEqual(['steps.1']);
    expect(fields({ ...chain([mail]), connections: [] })).toEqual(['steps.0']);
  });

  it('a loop without a wait; a loop with one passes', () => {
    const tags = chain([step('a', 'add_tag', { tag: 'x' }), step('b', 'delay', { value: 0, unit: 'hours' })]);
    tags.connections.push({ from: 'b', to: 'a' });
    expect(fields(tags)).toEqual(['steps.0']);
    tags.steps[1]!.config = { value: 1, unit: 'hours' };
    expect(fields(tags)).toEqual([]);
  });

  it.each([
    ['send_email', {}, 'steps.0.config'],
    ['send_email', { subject: 'Only' }, 'steps.0.config'],
    ['send_sms', {}, 'steps.0.config.content'],
    ['webhook', { url: 'ftp://example.com' }, 'steps.0.config.url'],
    ['webhook', { url: 'https://example.com', headers: { 'bad name': 'x' } }, 'steps.0.config.headers'],
    ['delay', { value: -1, unit: 'hours' }, 'steps.0.config.value'],
    ['delay', { value: 1, unit: 'fortnights' }, 'steps.0.config.unit'],
    ['wait_until', {}, 'steps.0.config'],
    ['wait_until', { time: '25:00' }, 'steps.0.config.time'],
    ['wait_until', { time: '09:00', timezone: 'Mars/Olympus' }, 'steps.0.config.timezone'],
    ['wait_for_event', {}, 'steps.0.config.event_type'],
    ['wait_for_event', { event_type: 'x', conditions: { rules: [{}] } }, 'steps.0.config.conditions.rules.0.field'],
    ['branch', { paths: [] }, 'steps.0.config.paths'],
    ['branch', { paths: [{ key: 'else', conditions: { rules: [] } }] }, 'steps.0.config.paths.0.key'],
    ['split', { variants: [{ key: 'a', weight: 0 }] }, 'steps.0.config.variants'],
    [
      'split',
      {
        variants: [
          { key: 'a', weight: 1 },
          { key: 'a', weight: 1 },
        ],
      },
      'steps.0.config.variants.0.key',
    ],
    ['add_tag', {}, 'steps.0.config.tag'],
    ['add_to_list', { list_id: 'one' }, 'steps.0.config.list_id'],
    ['track_event', {}, 'steps.0.config.event_type'],
    ['start_flow', {}, 'steps.0.config.flow_id'],
    ['notify', {}, 'steps.0.config.message'],
    ['goal', {}, 'steps.0.config.event_type'],
  ] as const)('a step %s that is configured as %j', (type, config, field) => {
    expect(fields(chain([step('it', type, config)]))).toContain(field);
  });

  it('rules of entry and exit', () => {
    const unknown: string = 'resembles';
    const bad: RuleGroup = { rules: [{ field: 'total', comparison: unknown as Comparison }] };
    expect(fields(chain([], { trigger_conditions: bad }))).toEqual(['trigger_conditions.rules.0.comparison']);
    expect(fields(chain([], { exit_on: [{ event_type: 'x', conditions: bad }] }))).toEqual([
      'exit_on.0.conditions.rules.0.comparison',
    ]);
    expect(fields(chain([], { reentry: { mode: 'cooldown', concurrent: false } }))).toEqual(['reentry.hours']);
    expect(fields(chain([], { quiet_hours: { start: '21:00', end: '08:00', timezone: 'Nowhere' } }))).toEqual([
      'quiet_hours.timezone',
    ]);
  });
});

/** Ways to break a valid definition at the place `at`; each returns the path at which the error must be reported. */
const BREAKS: Record<string, (broken: Definition, at: number) => string> = {
  'a step id used twice': ({ steps }, at) => `steps.${steps.push({ ...steps[at % steps.length]! }) - 1}.step_id`,
  'a step of the entry’s name': ({ steps }, at) => {
    steps[at % steps.length]!.step_id = 'trigger';
    return `steps.${at % steps.length}.step_id`;
  },
  'a configuration that is not of its type': ({ steps }, at) => {
    steps.push(step('lame', 'delay', { value: -1 - at, unit: 'hours' }));
    return `steps.${steps.length - 1}.config.value`;
  },
  'a connection from nowhere': ({ connections }, at) => {
    connections[at % connections.length]!.from = 'ghost';
    return `connections.${at % connections.length}.from`;
  },
  'a connection to nowhere': ({ connections }, at) => {
    connections[at % connections.length]!.to = 'ghost';
    return `connections.${at % connections.length}.to`;
  },
  'a branch that there is not': ({ connections }, at) => {
    connections[at % connections.length]!.branch = 'ghost';
    return `connections.${at % connections.length}.branch`;
  },
  'a second way out': ({ connections }, at) =>
    `connections.${connections.push({ ...connections[at % connections.length]! }) - 1}`,
  'a step that nothing leads to': ({ steps }) => `steps.${steps.push(step('island', 'notify', { message: 'x' })) - 1}`,
  'a loop that never waits': ({ steps, connections }) => {
    const split = step('spin', 'split', {
      variants: [
        { key: 'on', weight: 1 },
        { key: 'off', weight: 1 },
      ],
    });
    const first = connections.find(({ from }) => from === 'trigger')!;
    connections.push({ from: 'spin', branch: 'on', to: 'spin' }, { from: 'spin', branch: 'off', to: first.to });
    first.to = 'spin';
    return `steps.${steps.push(split) - 1}`;
  },
};

describe('any definition with an error anywhere', () => {
  it.each(Object.entries(BREAKS))('is refused with the path of the error: %s', (_name, breakAt) => {
    fc.assert(
      fc.property(validDefinition, fc.nat({ max: 100 }), (definition, at) => {
        const broken = structuredClone(definition);
        const path = breakAt(broken, at);
        expect(fields(broken)).toContain(path);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a draft', () => {
  it('may lack required fields, but not hold fields of a wrong type', () => {
    const unfinished = chain([step('mail', 'send_email', { subject: 'Later' }), step('wait', 'delay')]);
    expect(checkShape(unfinished)).toEqual([]);
    const wrong = chain([step('wait', 'delay', { value: 'soon' })]);
    expect(checkShape(wrong).map(({ field }) => field)).toEqual(['steps.0.config.value']);
  });
});

describe('loops and reach', () => {
  it('every loop without a wait is found, and nothing else', () => {
    const nodes = fc.integer({ min: 1, max: 7 });
    const edges = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 })), { maxLength: 14 });
    fc.assert(
      fc.property(nodes, edges, fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }), (n, pairs, waits) => {
        const steps = Array.from({ length: n }, (_, i) =>
          waits[i] ? step(`s${i}`, 'wait_until', { time: '09:00' }) : step(`s${i}`, 'add_tag', { tag: 'x' }),
        );
        const connections = pairs
          .filter(([a, b]) => a < n && b < n)
          .map(([a, b], i) => ({ from: `s${a}`, to: `s${b}`, branch: `b${i}` }));
        const busy = new Set(steps.filter((_, i) => !waits[i]).map(({ step_id }) => step_id));
        const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
          connections.some((c) => {
            if (c.from !== from || !busy.has(c.to) || seen.has(c.to)) return false;
            return c.to === to || reaches(c.to, to, seen.add(c.to));
          });
        const expected = [...busy].find((id) => reaches(id, id)) ?? null;
        expect(stepOnBusyLoop({ steps, connections })).toBe(expected);
      }),
    );
  });

  it('steps are found nearest first', () => {
    const edges = new Map([
      ['trigger', new Map([['default', 'a']])],
      [
        'a',
        new Map([
          ['x', 'c'],
          ['y', 'b'],
        ]),
      ],
      ['b', new Map([['default', 'd']])],
    ]);
    expect(reachableFrom(edges, 'trigger')).toEqual(['a', 'c', 'b', 'd']);
  });
});
