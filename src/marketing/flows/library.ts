import type { RuleGroup } from '../rules/language.ts';
import { type Definition, type DraftStep, EMPTY_DEFINITION, TRIGGER } from './definition.ts';

/** Flows to begin with. They are checked like any other by their test, and are the caller's own once made. */
export interface LibraryFlow {
  library_name: string;
  description: string;
  name: string;
  trigger_type: string;
  definition: Definition;
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

/** Steps one below the other, joined by their default branches. */
function sequence(steps: DraftStep[], more: Partial<Definition> = {}): Definition {
  return {
    ...EMPTY_DEFINITION,
    steps: steps.map((each, i) => ({ ...each, position: { x: COLUMN, y: (i + 1) * ROW_HEIGHT } })),
    connections: steps.map(({ step_id }, i) => ({ from: steps[i - 1]?.step_id ?? TRIGGER, to: step_id })),
    ...more,
  };
}

const ORDERED = { event_type: 'order_placed' };
const QUIET = { start: '21:00', end: '08:00', timezone: 'contact' };

function abandonedCart(): Definition {
  const definition = sequence(
    [
      wait('wait_1', 1, 'hours'),
      mail('reminder_1', 'You left something behind', 'your cart is still here, and so is what you chose.'),
      wait('wait_2', 1, 'days'),
      step('by_value', 'branch', 'Worth a second reminder?', {
        paths: [{ key: 'large', conditions: atLeast('cart_total', 50) }],
      }),
    ],
    { goal: ORDERED, quiet_hours: QUIET, reentry: { mode: 'cooldown', hours: 24, concurrent: false } },
  );
  const second = mail('reminder_2', 'Still thinking about it?', 'we keep your cart for one more day.');
  definition.steps.push({ ...second, position: { x: COLUMN_WIDTH, y: 5 * ROW_HEIGHT } });
  definition.connections.push({ from: 'by_value', branch: 'large', to: 'reminder_2' });
  return definition;
}

/** A loop: the notice comes three days before every renewal of a monthly plan, until MAX_VISITS ends the run. */
function renewalNotice(): Definition {
  const definition = sequence(
    [
      wait('until_notice', 27, 'days'),
      mail('notice', 'Your subscription renews soon', 'your subscription {{ event.plan }} renews in three days.'),
      wait('until_renewal', 3, 'days'),
    ],
    { exit_on: [{ event_type: 'subscription_cancelled' }], reentry: { mode: 'always', concurrent: true } },
  );
  definition.connections.push({ from: 'until_renewal', to: 'until_notice' });
  return definition;
}

function lowLoyalty(): Definition {
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
  definition.steps.push({ ...reminder, position: { x: COLUMN_WIDTH, y: 3 * ROW_HEIGHT } });
  definition.connections.push({ from: 'by_points', branch: 'few', to: 'reminder' });
  return definition;
}

const LOW_POINTS = { field: 'contact.properties.loyalty_points', comparison: 'less_than', value: 100 } as const;

function atLeast(field: string, value: number): RuleGroup {
  return { operator: 'and', rules: [{ field, comparison: 'greater_than_or_equal', value }] };
}

export const LIBRARY: readonly LibraryFlow[] = [
  {
    library_name: 'welcome',
    description: 'Greets new customers, and comes back to them after three days.',
    name: 'Welcome',
    trigger_type: 'customer_created',
    definition: sequence(
      [
        mail('welcome', 'Welcome', 'we are glad that you are here.'),
        wait('wait', 3, 'days'),
        mail('tips', 'Where to begin', 'these are the things that our customers like best.'),
        step('mark', 'add_tag', 'Mark as welcomed', { tag: 'welcomed' }),
      ],
      { reentry: { mode: 'once', concurrent: false } },
    ),
  },
  {
    library_name: 'abandoned-cart',
    description: 'Reminds of a cart after an hour, and of a large one again after a day; ends with the order.',
    name: 'Abandoned cart',
    trigger_type: 'cart_abandoned',
    definition: abandonedCart(),
  },
  {
    library_name: 'browse-abandonment',
    description: 'Writes about a product that was looked at and not bought, once a week at most.',
    name: 'Browse abandonment',
    trigger_type: 'product_viewed',
    definition: sequence(
      [
        wait('wait', 4, 'hours'),
        mail('look_again', 'Still interested in {{ event.product_name }}?', 'here it is once more.'),
      ],
      {
        exit_on: [ORDERED, { event_type: 'cart_abandoned' }],
        quiet_hours: QUIET,
        reentry: { mode: 'cooldown', hours: 168, concurrent: false },
      },
    ),
  },
  {
    library_name: 'post-purchase',
    description: 'Thanks when an order is fulfilled, and asks for an opinion ten days later.',
    name: 'Post-purchase',
    trigger_type: 'order_completed',
    definition: sequence([
      mail('thanks', 'Thank you for your order', 'order {{ event.order_id }} is on its way.'),
      wait('wait', 10, 'days'),
      mail('opinion', 'How do you like it?', 'we would love to hear what you think.'),
    ]),
  },
  {
    library_name: 'win-back',
    description: 'Writes to customers who have not ordered for sixty days.',
    name: 'Win-back',
    trigger_type: 'order_placed',
    // Each order begins the sixty days anew: it ends the run that waits, and starts its own.
    definition: sequence(
      [
        wait('silence', 60, 'days'),
        mail('miss_you', 'We have not seen you for a while', 'there is much that is new since your last order.'),
        wait('patience', 7, 'days'),
        step('mark', 'add_tag', 'Mark as lapsed', { tag: 'lapsed' }),
      ],
      { exit_on: [ORDERED], quiet_hours: QUIET, reentry: { mode: 'always', concurrent: true } },
    ),
  },
  {
    library_name: 'subscription-renewal',
    description:
      'Says three days before each renewal of a monthly subscription that it comes; ends with a cancellation.',
    name: 'Subscription renewal notice',
    trigger_type: 'subscription_created',
    definition: renewalNotice(),
  },
  {
    library_name: 'low-loyalty',
    description:
      'Reminds customers with few loyalty points (contact property loyalty_points) two weeks after an order.',
    name: 'Low-loyalty reminder',
    trigger_type: 'order_completed',
    definition: lowLoyalty(),
  },
];
