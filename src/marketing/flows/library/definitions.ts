import type { Definition } from '../definition/definition.ts';
import { atLeast, beside, mail, ORDERED, QUIET, sequence, step, wait } from './step-builders.ts';

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
      mail('reminder_1', 'You left something behind', 'your cart is still here, and so is what you chose.'),
      wait('wait_2', 1, 'days'),
      step('by_value', 'branch', 'Worth a second reminder?', {
        paths: [{ key: 'large', conditions: atLeast('cart_total', 50) }],
      }),
    ],
    { goal: ORDERED, quiet_hours: QUIET, reentry: { mode: 'cooldown', hours: 24, concurrent: false } },
  );
  const second = mail('reminder_2', 'Still thinking about it?', 'we keep your cart for one more day.');
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
