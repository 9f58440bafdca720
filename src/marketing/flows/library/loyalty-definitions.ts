import type { Definition } from '../definition/definition.ts';
import { atLeast, beside, mail, ORDERED, QUIET, sequence, step, wait } from './step-builders.ts';

/** Asks a week after the delivery, and again if the contact has not ordered since. */
export function reviewRequest(): Definition {
  const definition = sequence(
    [
      wait('wait', 7, 'days'),
      mail('ask', 'What do you think of it?', 'a few words of yours help others to choose.'),
      step('ordered', 'wait_for_event', 'Ordered within 10 days?', {
        ...ORDERED,
        timeout: { value: 10, unit: 'days' },
      }),
    ],
    { quiet_hours: QUIET, reentry: { mode: 'cooldown', hours: 30 * 24, concurrent: false } },
  );
  const reminder = mail('ask_again', 'Do you have a minute?', 'we would still like to hear what you think.');
  beside(definition, [{ step: reminder, row: 4, from: 'ordered', branch: 'timeout' }]);
  return definition;
}

/** The mean time between the customer's own orders determines the wait. The next order ends the run. */
export function replenishment(): Definition {
  const within = (days: number) => ({
    operator: 'and' as const,
    rules: [{ field: 'contact.purchases.days_between', comparison: 'less_than_or_equal' as const, value: days }],
  });
  const definition = sequence(
    [
      step('cadence', 'branch', 'How often do they order?', {
        paths: [
          { key: 'weekly', conditions: within(10) },
          { key: 'monthly', conditions: within(45) },
        ],
      }),
    ],
    {
      trigger_conditions: atLeast('contact.purchases.count', 2),
      exit_on: [ORDERED],
      quiet_hours: QUIET,
      reentry: { mode: 'always', concurrent: true },
    },
  );
  const waits = [
    { key: 'weekly', days: 6, row: 2 },
    { key: 'monthly', days: 26, row: 3 },
    { key: 'else', days: 75, row: 4 },
  ];
  beside(
    definition,
    waits.map(({ key, days, row }) => ({ step: wait(`wait_${key}`, days, 'days'), row, from: 'cadence', branch: key })),
  );
  const remind = mail('remind', 'Time for more?', 'it may be time for a new supply; here is what you ordered last.');
  beside(definition, [{ step: remind, row: 5, from: 'wait_weekly', branch: 'default' }]);
  definition.connections.push({ from: 'wait_monthly', to: 'remind' }, { from: 'wait_else', to: 'remind' });
  return definition;
}

/** Returns to the wait after each birthday: one e-mail a year, at most ten. */
export function birthday(): Definition {
  const definition = sequence(
    [
      step('birthday', 'wait_until', 'The next birthday', {
        date_field: 'contact.properties.birthday',
        yearly: true,
        time: '09:00',
        timezone: 'contact',
      }),
      mail('wishes', 'Happy birthday!', 'we wish you a wonderful day, and have put something aside for you.'),
    ],
    {
      trigger_conditions: {
        operator: 'and',
        rules: [{ field: 'contact.properties.birthday', comparison: 'exists' }],
      },
      reentry: { mode: 'once', concurrent: false },
    },
  );
  definition.connections.push({ from: 'wishes', to: 'birthday' });
  return definition;
}

/** Runs once, after the order that brings a customer to the amount. */
export function vip(): Definition {
  return sequence(
    [
      step('mark', 'add_tag', 'Mark as VIP', { tag: 'vip' }),
      mail('thanks', 'You are one of our best customers', 'from now on you see what is new before anybody else.'),
      step('tell', 'notify', 'Tell the team', { message: 'A customer has reached 500 in all' }),
      wait('wait', 30, 'days'),
      mail('preview', 'A first look, for you', 'this is what comes next; you may order it today.'),
    ],
    {
      trigger_conditions: atLeast('contact.purchases.total', 500),
      quiet_hours: QUIET,
      reentry: { mode: 'once', concurrent: false },
    },
  );
}
