import type { NoticeKind } from './kinds.ts';

/** Returns the path of the record in the admin app, below the company. */
export function pathOf(kind: NoticeKind, record: number | null): string {
  switch (kind) {
    case 'new_order':
    case 'dispute':
      return `orders/${record}`;
    case 'low_stock':
      return `products/${record}`;
    case 'renewal_failed':
      return `subscriptions/${record}`;
    case 'sending_paused':
      return 'settings/deliverability';
  }
}
