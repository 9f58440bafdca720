import { removeMessageCoupons } from '../commerce/promotions/coupons/service.ts';
import type { Removal } from '../db/removal.ts';
import { removeHeldOut } from '../marketing/campaigns/service.ts';
import { removeActivity } from '../marketing/contacts/service.ts';
import { removeEvents, removeMissedEvents } from '../marketing/events/service.ts';
import { removeLogs, removeNotifications, removeRuns } from '../marketing/flows/service.ts';
import { removeOldMails } from '../messaging/mailbox/service.ts';
import { removeMessages } from '../messaging/service.ts';
import { removeOldDeliveries } from '../outbox/endpoints/service.ts';
import { removeOldRequests } from '../request-log/service.ts';
import type { Kind } from './kinds.ts';

/** The functions that remove data of each kind, in order. */
export const REMOVALS: Record<Kind, readonly Removal[]> = {
  events: [removeEvents, removeMissedEvents],
  messages: [removeMessages, removeMessageCoupons, removeHeldOut],
  contact_activity: [removeActivity],
  flow_runs: [removeNotifications, removeRuns],
  flow_log: [removeLogs],
  mailbox: [removeOldMails],
  webhook_deliveries: [removeOldDeliveries],
  requests: [removeOldRequests],
};
