import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Definition, MAX_VISITS } from '../definition/definition.ts';
import { branchesOf, STEP_TYPES, type StepType } from '../definition/steps.ts';
import { EFFECT_OF, validDefinition } from '../definition/testing-graphs.ts';
import { eventSignal, Journey } from '../testing/journey.ts';
import type { Effect, Signal } from './run.ts';

const EVENTS = ['order_placed', 'product_viewed', 'order_completed', 'subscription_cancelled'];
/** How a waiting run continues: mostly its delay ends; otherwise its webhook responds or one of the events happens. */
const turns = fc.array(fc.nat({ max: 3 + EVENTS.length }), { minLength: 400, maxLength: 400 });

function responseSignal(step_id: string, visit: number, ok: boolean): Signal {
  return { kind: 'webhook', step_id, visit, ok, save_as: 'response', answer: { status: ok ? 200 : 500 } };
}

/** Advances the run to its end. A run that fails is retried. */
function drive(journey: Journey, choices: number[], step: () => void, look: () => void = () => {}): void {
  let id = 200;
  for (const choice of choices) {
    step();
    look();
    if (journey.status === 'failed') journey.retry({ hops: 0 });
    if (journey.status !== 'active') return;
    const { stepId, state, dueAt } = journey.run;
    const calls = stepId !== null && journey.graph.steps.get(stepId)!.type === 'webhook';
    if (choice === 3 && calls) journey.signal(responseSignal(stepId, state.visits[stepId]!, id++ % 2 === 0));
    else if (choice < 4) journey.now = new Date(Math.max(dueAt.getTime(), journey.now.getTime()));
    else journey.signal(eventSignal(EVENTS[choice - 4]!, journey.now, id++));
  }
}

/** Collects the effects of each visit to each step, one step at a time. */
function causes(journey: Journey, caused: Map<string, Effect[]>): () => void {
  return () => {
    while (journey.status === 'active' && journey.run.dueAt <= journey.now) {
      const { stepId, state } = journey.run;
      const { effects } = journey.go();
      if (effects.length > 0) {
        const key = `${stepId}:${state.visits[stepId!]}`;
        caused.set(key, [...(caused.get(key) ?? []), ...effects]);
      }
    }
  };
}

function checkNumbers(definition: Definition, journey: Journey): void {
  const at = journey.status === 'active' ? journey.run.stepId : null;
  for (const step of definition.steps) {
    const id = step.step_id;
    const left = journey.total(id, 'passed') + journey.total(id, 'failed') + journey.total(id, 'exited');
    expect(journey.total(id, 'waiting')).toBe(id === at ? 1 : 0);
    expect(journey.total(id, 'entered')).toBe(left + journey.total(id, 'waiting'));
    const branches = branchesOf(step);
    const byBranch = branches.map((branch) => journey.total(id, `passed:${branch}`));
    expect(byBranch.reduce((sum, n) => sum + n, 0)).toBe(branches.length > 1 ? journey.total(id, 'passed') : 0);
  }
  expect(journey.total('', 'active')).toBe(journey.status === 'active' ? 0 : -1);
}

describe('any valid graph, under any order of times and signals', () => {
  const beginnings = fc.record({ vip: fc.boolean(), hops: fc.constantFrom(0, 0, 10) });
  const seen = new Set<string>();

  it('ends, visits no step more than MAX_VISITS times, and has consistent counts', () => {
    fc.assert(
      fc.property(validDefinition, turns, beginnings, (definition, choices, { vip, hops }) => {
        const journey = new Journey(
          definition,
          { state: { visits: {}, vars: {}, hops } },
          { tags: vip ? ['vip'] : [] },
        );
        drive(
          journey,
          choices,
          () => journey.step(),
          () => checkNumbers(definition, journey),
        );
        expect(journey.status).not.toBe('active');
        expect(Math.max(0, ...Object.values(journey.run.state.visits))).toBeLessThanOrEqual(MAX_VISITS);
      }),
      { numRuns: 300 },
    );
  });

  it('causes the effect of each step once per visit, however many steps run at once', () => {
    fc.assert(
      fc.property(validDefinition, turns, beginnings, (definition, choices, { vip, hops }) => {
        const run = { state: { visits: {}, vars: {}, hops } };
        const contact = { tags: vip ? ['vip'] : [] };
        const slow = new Journey(definition, run, contact, 1);
        const caused = new Map<string, Effect[]>();
        drive(slow, choices, causes(slow, caused));
        for (const { step_id: id, type } of definition.steps) {
          const visits = slow.run.state.visits[id] ?? 0;
          const effects = Array.from({ length: visits }, (_, i) => caused.get(`${id}:${i + 1}`) ?? []);
          const kind = EFFECT_OF[type];
          for (const some of effects)
            expect(some.map((effect) => effect.kind)).toEqual(some.length === 0 ? [] : [kind]);
          const count = effects.flat().length;
          // A webhook is called when the run arrives, and an event may make the run leave the step meanwhile.
          if (kind === 'webhook') expect(count).toBe(visits);
          else if (kind !== null) expect(count).toBe(slow.total(id, 'passed'));
          if (visits > 0) seen.add(type);
          if (count > 0) seen.add(`${kind}, ${count > 1 ? 'on a loop' : 'once'}`);
        }
        expect([...caused.values()].flat()).toEqual(slow.effects);
        seen.add(slow.reason === 'max_visits' ? 'max_visits' : slow.status);

        const quick = new Journey(definition, run, contact);
        drive(quick, choices, () => quick.step());
        const { status, reason, effects, log, contact: after, run: end } = quick;
        expect({ status, reason, effects, log, contact: after, run: end }).toEqual({
          status: slow.status,
          reason: slow.reason,
          effects: slow.effects,
          log: slow.log,
          contact: slow.contact,
          run: slow.run,
        });
      }),
      // Enough runs to generate each effect on a loop, too: 500 missed one now and then.
      { numRuns: 2_000 },
    );
  });

  it('covers every step type, effect and end, with and without loops', () => {
    const kinds = [...new Set(Object.values(EFFECT_OF))].filter((kind) => kind !== null);
    const expected = new Set<string>([...STEP_TYPES, 'completed', 'exited', 'max_visits']);
    for (const kind of kinds) for (const how of ['once', 'on a loop']) expected.add(`${kind}, ${how}`);
    expect([...expected].filter((one) => !seen.has(one))).toEqual([]);
    expect(Object.keys(EFFECT_OF).toSorted()).toEqual(([...STEP_TYPES] as StepType[]).toSorted());
  });
});
