import type { NewFlow } from '../marketing/flows/schemas.ts';
import { HOW_DO_YOU_BREW, HOW_WAS_IT, THIRD_BAG, WELCOME } from './emails.ts';

const ORDERED = { event_type: 'order_placed' };

/** Welcomes a new customer and asks a question three days later, unless they have ordered by then. */
export const WELCOME_FLOW: NewFlow = {
  name: 'Welcome',
  trigger_type: 'customer_created',
  status: 'active',
  reentry: { mode: 'once', concurrent: false },
  goal: ORDERED,
  steps: [
    { step_id: 'welcome', type: 'send_email', name: 'Greet', config: WELCOME, position: { x: 0, y: 140 } },
    {
      step_id: 'three_days',
      type: 'delay',
      name: 'Wait three days',
      config: { value: 3, unit: 'days' },
      position: { x: 0, y: 280 },
    },
    { step_id: 'ask', type: 'send_email', name: 'Ask and offer', config: HOW_DO_YOU_BREW, position: { x: 0, y: 420 } },
  ],
  connections: [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'three_days' },
    { from: 'three_days', to: 'ask' },
  ],
};

/** Nine days after an order, rewards a large one and asks about the others. */
export const POST_PURCHASE_FLOW: NewFlow = {
  name: 'After the order',
  trigger_type: 'order_placed',
  status: 'active',
  reentry: { mode: 'always', concurrent: true },
  steps: [
    {
      step_id: 'nine_days',
      type: 'delay',
      name: 'Wait nine days',
      config: { value: 9, unit: 'days' },
      position: { x: 0, y: 140 },
    },
    {
      step_id: 'by_total',
      type: 'branch',
      name: 'A large order?',
      config: {
        paths: [
          {
            key: 'large',
            conditions: {
              operator: 'and',
              rules: [{ field: 'total', comparison: 'greater_than_or_equal', value: 80 }],
            },
          },
        ],
      },
      position: { x: 0, y: 280 },
    },
    { step_id: 'reward', type: 'send_email', name: 'Give something', config: THIRD_BAG, position: { x: -160, y: 420 } },
    { step_id: 'ask', type: 'send_email', name: 'Ask how it was', config: HOW_WAS_IT, position: { x: 160, y: 420 } },
  ],
  connections: [
    { from: 'trigger', to: 'nine_days' },
    { from: 'nine_days', to: 'by_total' },
    { from: 'by_total', branch: 'large', to: 'reward' },
    { from: 'by_total', branch: 'else', to: 'ask' },
  ],
};
