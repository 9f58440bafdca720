import type { RuleGroup } from '../../../rules/language.ts';
import { type Definition, EMPTY_DEFINITION, TRIGGER } from '../definition/definition.ts';
import type { DraftStep } from '../definition/steps.ts';

/** Takes two weeks. A contact who orders meanwhile gets no reminder about a first order. */
export function welcome(): Definition {
  const definition = sequence(
    [
      mail('welcome', 'Welcome', 'we are glad that you are here.'),
      wait('wait_1', 3, 'days'),
      mail('tips', 'Where to begin', 'these are the things that our customers like best.'),
      wait('wait_2', 4, 'days'),
      mail('story', 'Who we are', 'this is how we make what we sell, and why.'),
      step('first_order', 'wait_for_event', 'First order within 7 days?', {
        ...ORDERED,
        since: 'flow_entry',
        timeout: { value: 7, unit: 'days' },
      }),
    ],
    { reentry: { mode: 'once', concurrent: false } },
  );
  const invite = mail('invite', 'Your first order', 'is there anything that we can help you to choose?');
  const mark = step('mark', 'add_tag', 'Mark as welcomed', { tag: 'welcomed' });
  beside(definition, [
    { step: invite, row: 7, from: 'first_order', branch: 'timeout' },
    { step: mark, row: 8, from: 'first_order', branch: 'received' },
  ]);
  definition.connections.push({ from: 'invite', to: 'mark' });
  return definition;
}

/** Splits customers between two subjects; the statistics of the two steps show which one does better. */
export function postPurchase(): Definition {
  const definition = sequence(
    [
      mail('thanks', 'Thank you for your order', 'order {{ event.order_id }} is on its way.'),
      wait('wait', 10, 'days'),
      step('subject', 'split', 'Which subject?', {
        variants: [
          { key: 'a', weight: 50 },
          { key: 'b', weight: 50 },
        ],
      }),
    ],
    { reentry: { mode: 'always', concurrent: true } },
  );
  const opinion = 'we would love to hear what you think.';
  beside(definition, [
    { step: mail('opinion_a', 'How do you like it?', opinion), row: 4, from: 'subject', branch: 'a' },
    { step: mail('opinion_b', 'A minute for your opinion', opinion), row: 5, from: 'subject', branch: 'b' },
  ]);
  return definition;
}

export function abandonedCart(): Definition {
  const definition = sequence(
    [
      wait('wait_1', 1, 'hours'),
      mail('reminder_1', 'You left something behind', 'your cart is still here, and so is what you chose.', ...CART),
      wait('wait_2', 1, 'days'),
      step('by_value', 'branch', 'Worth a second reminder?', {
        paths: [{ key: 'large', conditions: atLeast('cart_total', 50) }],
      }),
    ],
    { goal: ORDERED, quiet_hours: QUIET, reentry: { mode: 'cooldown', hours: 24, concurrent: false } },
  );
  const second = mail('reminder_2', 'Still thinking about it?', 'we keep your cart for one more day.', ...CART);
  beside(definition, [{ step: second, row: 5, from: 'by_value', branch: 'large' }]);
  return definition;
}

/**
 * One run for each scheduled renewal date of a subscription. A date that is moved, skipped or cancelled ends the run; the
 * next date has its own run.
 */
export function renewalNotice(): Definition {
  const [ofIt, notice] = [{ same: ['subscription_id'] }, { value: -3, unit: 'days' }];
  return sequence(
    [
      step('until_notice', 'wait_until', 'Three days before', {
        date_field: 'next_billing_date',
        offset: notice,
        time: '09:00',
      }),
      mail(
        'notice',
        'Your subscription renews soon',
        'your subscription {{ event.plan }} renews on {{ event.next_billing_date }}.',
      ),
    ],
    {
      exit_on: ['subscription_scheduled', 'subscription_paused', 'subscription_cancelled'].map((event_type) => {
        return { event_type, ...ofIt };
      }),
      reentry: { mode: 'always', concurrent: true },
    },
  );
}

export function lowLoyalty(): Definition {
  const definition = sequence(
    [
      wait('wait', 14, 'days'),
      step('by_points', 'branch', 'Few points?', {
        paths: [{ key: 'few', conditions: { operator: 'and', rules: [LOW_POINTS] } }],
      }),
    ],
    { quiet_hours: QUIET, reentry: { mode: 'cooldown', hours: 30 * 24, concurrent: false } },
  );
  const reminder = mail('reminder', 'Your points are waiting', 'a few more points, and your next order costs less.');
  beside(definition, [{ step: reminder, row: 3, from: 'by_points', branch: 'few' }]);
  return definition;
}

const LOW_POINTS = { field: 'contact.properties.loyalty_points', comparison: 'less_than', value: 100 } as const;

export function browseAbandonment(): Definition {
  return sequence(
    [
      wait('wait', 4, 'hours'),
      mail('look_again', 'Still interested in {{ event.product_name }}?', 'here it is once more.'),
    ],
    {
      exit_on: [ORDERED, { event_type: 'cart_abandoned' }],
      quiet_hours: QUIET,
      reentry: { mode: 'cooldown', hours: 168, concurrent: false },
    },
  );
}

/** An order ends the waiting run and starts a new one, so that the 60 days begin again. */
export function winBack(): Definition {
  return sequence(
    [
      wait('silence', 30, 'days'),
      mail('miss_you', 'We have not seen you for a while', 'there is much that is new since your last order.'),
      wait('wait_1', 15, 'days'),
      mail('news', 'This is new', 'have a look at what came in since you were here.'),
      wait('wait_2', 15, 'days'),
      mail('goodbye', 'Shall we stay in touch?', 'we will not write again, unless you come back.'),
      step('mark', 'add_tag', 'Mark as lapsed', { tag: 'lapsed' }),
    ],
    { exit_on: [ORDERED], quiet_hours: QUIET, reentry: { mode: 'always', concurrent: true } },
  );
}

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

/** Events of other shop systems may have neither. */
const CART = [
  '{% for item in event.items %}{{ item.quantity | default: 1 }} × {{ item.name }}<br>{% endfor %}',
  '{% if event.recover_url %}<a href="{{ event.recover_url }}">Back to your cart</a>{% endif %}',
];
const ORDERED = { event_type: 'order_placed' };
const QUIET = { start: '21:00', end: '08:00', timezone: 'contact' };

function atLeast(field: string, value: number): RuleGroup {
  return { operator: 'and', rules: [{ field, comparison: 'greater_than_or_equal', value }] };
}

const COLUMN = 0;
const ROW_HEIGHT = 140;
const COLUMN_WIDTH = 280;

function step(step_id: string, type: DraftStep['type'], name: string, config: Record<string, unknown>): DraftStep {
  return { step_id, type, name, config };
}

function mail(step_id: string, subject: string, ...paragraphs: string[]): DraftStep {
  const body = ['Hello {{ contact.first_name | default: "there" }},', ...paragraphs];
  const content = body.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return step(step_id, 'send_email', subject, { subject, content });
}

function wait(step_id: string, value: number, unit: 'hours' | 'days'): DraftStep {
  return step(step_id, 'delay', `Wait ${value} ${unit}`, { value, unit });
}

/** Adds steps in a second column, each with its incoming connection. */
function beside(
  definition: Definition,
  additions: { step: DraftStep; row: number; from: string; branch: string }[],
): void {
  for (const { step: each, row, from, branch } of additions) {
    definition.steps.push({ ...each, position: { x: COLUMN_WIDTH, y: row * ROW_HEIGHT } });
    definition.connections.push({ from, branch, to: each.step_id });
  }
}

/** Steps in one column, connected by their default branches. */
function sequence(steps: DraftStep[], more: Partial<Definition> = {}): Definition {
  return {
    ...EMPTY_DEFINITION,
    steps: steps.map((each, i) => ({ ...each, position: { x: COLUMN, y: (i + 1) * ROW_HEIGHT } })),
    connections: steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? TRIGGER, to: step_id })),
    ...more,
  };
}
