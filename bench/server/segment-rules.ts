import type { RuleGroup } from '../../src/rules/language.ts';

/** Common segments, by name. `list` is the id of the audience's list. */
export function commonRules(list: number): Record<string, RuleGroup> {
  const bought = { field: 'events.order_placed.count', comparison: 'greater_than_or_equal' } as const;
  return {
    'has a tag': { rules: [{ field: 'tags', comparison: 'equals', value: 'vip' }] },
    'a property equals': { rules: [{ field: 'properties.plan', comparison: 'equals', value: 'pro' }] },
    'a property is greater': { rules: [{ field: 'properties.age', comparison: 'greater_than', value: 40 }] },
    'e-mail ends with': { rules: [{ field: 'email', comparison: 'ends_with', value: '@mail-7.example' }] },
    'came in the last 30 days': { rules: [{ field: 'created_at', comparison: 'within_last_days', value: 30 }] },
    'on a list': { rules: [{ field: 'list_ids', comparison: 'equals', value: list }] },
    'not on a list': { rules: [{ field: 'list_ids', comparison: 'not_equals', value: list }] },
    'ordered 3 times in 30 days': { rules: [{ ...bought, value: 3, within_days: 30 }] },
    'ordered ever': { rules: [{ ...bought, value: 1 }] },
    'never ordered': { rules: [{ field: 'purchases.count', comparison: 'equals', value: 0 }] },
    'spent over 500': { rules: [{ field: 'purchases.total', comparison: 'greater_than', value: 500 }] },
    'spent over 500 in 90 days': {
      rules: [{ field: 'purchases.total', comparison: 'greater_than', value: 500, within_days: 90 }],
    },
    'viewed, but did not order, in 30 days': {
      rules: [
        {
          field: 'events.product_viewed.count',
          comparison: 'greater_than_or_equal',
          value: 1,
          within_days: 30,
        },
        { field: 'events.order_placed.count', comparison: 'equals', value: 0, within_days: 30 },
      ],
    },
    'left a cart in 7 days': {
      rules: [{ field: 'events.cart_abandoned.count', comparison: 'greater_than', value: 0, within_days: 7 }],
    },
    'viewed 5 times ever': {
      rules: [{ field: 'events.product_viewed.count', comparison: 'greater_than_or_equal', value: 5 }],
    },
    'subscribed, with a tag, ordered in 90 days': {
      rules: [
        { field: 'status', comparison: 'equals', value: 'subscribed' },
        { field: 'tags', comparison: 'equals', value: 'newsletter' },
        { ...bought, value: 1, within_days: 90 },
      ],
    },
    'vip or spent over 1000': {
      operator: 'or',
      rules: [
        { field: 'tags', comparison: 'equals', value: 'vip' },
        { field: 'purchases.total', comparison: 'greater_than', value: 1_000 },
      ],
    },
    'on a list and did not order in 180 days': {
      rules: [
        { field: 'list_ids', comparison: 'equals', value: list },
        { field: 'events.order_placed.count', comparison: 'equals', value: 0, within_days: 180 },
      ],
    },
  };
}

/** Further segments: engagement, data of events, first and last times, frequency, classes of buyers. */
export function historyRules(): Record<string, RuleGroup> {
  const some = { comparison: 'greater_than_or_equal', value: 1 } as const;
  const none = { comparison: 'equals', value: 0 } as const;
  return {
    'opened in 30 days': { rules: [{ field: 'messages.opened.count', ...some, within_days: 30 }] },
    'clicked 2 in 180 days': {
      rules: [{ field: 'messages.clicked.count', comparison: 'greater_than_or_equal', value: 2, within_days: 180 }],
    },
    'not engaged in 90 days': { rules: [{ field: 'messages.opened.count', ...none, within_days: 90 }] },
    'received, but did not open, in 60 days': {
      rules: [
        { field: 'messages.received.count', ...some, within_days: 60 },
        { field: 'messages.opened.count', ...none, within_days: 60 },
      ],
    },
    'bought category tea in 90 days': {
      rules: [
        {
          field: 'events.order_placed.count',
          ...some,
          within_days: 90,
          where: { rules: [{ field: 'items.category', comparison: 'equals', value: 'tea' }] },
        },
      ],
    },
    'viewed a product twice in 30 days': {
      rules: [
        {
          field: 'events.product_viewed.count',
          comparison: 'greater_than_or_equal',
          value: 2,
          within_days: 30,
          where: { rules: [{ field: 'product_id', comparison: 'in', value: ['77', '78', '79'] }] },
        },
      ],
    },
    'last ordered over 60 days ago': {
      rules: [{ field: 'purchases.days_since_last', comparison: 'greater_than', value: 60 }],
    },
    'first order in 30 days': { rules: [{ field: 'purchases.first_at', comparison: 'within_last_days', value: 30 }] },
    'next order due within a week': {
      rules: [{ field: 'purchases.days_until_next', comparison: 'between', value: [0, 7] }],
    },
    'champions or loyal': {
      rules: [{ field: 'purchases.rfm.class', comparison: 'in', value: ['champions', 'loyal'] }],
    },
    'at risk, subscribed, opened ever': {
      rules: [
        { field: 'purchases.rfm.recency', comparison: 'less_than_or_equal', value: 2 },
        { field: 'status', comparison: 'equals', value: 'subscribed' },
        { field: 'messages.opened.count', ...some },
      ],
    },
  };
}
