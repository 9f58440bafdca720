import type { Row } from './row.ts';
import { EVENT_COLUMNS, eventRows } from './rows/events.ts';
import * as messages from './rows/messages.ts';
import * as orders from './rows/orders.ts';
import * as people from './rows/people.ts';
import type { FilledShop, SpanOfShop } from './shop.ts';

/** A table and its rows for a shop, or for a span of it. */
export interface CopiedTable<Of> {
  table: string;
  columns: readonly string[];
  rows: (row: Row, of: Of) => Iterable<void>;
  /** The table that its triggers read. */
  follows?: string;
}

export const PEOPLE: readonly CopiedTable<FilledShop>[] = [
  { table: 'contacts', columns: people.CONTACT_COLUMNS, rows: people.contactRows },
  { table: 'customers', columns: people.CUSTOMER_COLUMNS, rows: people.customerRows },
  { table: 'list_memberships', columns: people.MEMBERSHIP_COLUMNS, rows: people.membershipRows },
];

/** Events are copied into the table of their month. */
export const EVENTS = { table: 'events', columns: EVENT_COLUMNS, rows: eventRows } satisfies CopiedTable<SpanOfShop>;

/** All tables except events. */
export const OF_SPAN: readonly CopiedTable<SpanOfShop>[] = [
  { table: 'orders', columns: orders.ORDER_COLUMNS, rows: orders.orderRows },
  { table: 'order_items', columns: orders.ITEM_COLUMNS, rows: orders.itemRows },
  { table: 'order_history', columns: orders.HISTORY_COLUMNS, rows: orders.historyRows },
  { table: 'stock_movements', columns: orders.MOVEMENT_COLUMNS, rows: orders.movementRows },
  { table: 'webhook_deliveries', columns: orders.DELIVERY_COLUMNS, rows: orders.deliveryRows },
  { table: 'flow_runs', columns: messages.RUN_COLUMNS, rows: messages.runRows },
  { table: 'flow_run_log', columns: messages.LOG_COLUMNS, rows: messages.logRows },
  { table: 'messages', columns: messages.MESSAGE_COLUMNS, rows: messages.messageRows },
  { table: 'message_activity', columns: messages.HAPPENED_COLUMNS, rows: messages.happenedRows, follows: 'messages' },
  { table: 'mailbox_messages', columns: messages.MAILBOX_COLUMNS, rows: messages.mailboxRows },
  { table: 'contact_activity', columns: people.ACTIVITY_COLUMNS, rows: people.activityRows },
];
