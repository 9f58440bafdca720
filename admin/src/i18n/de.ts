import account from './de/account.json';
import activity from './de/activity.json';
import audit from './de/audit.json';
import contacts from './de/contacts.json';
import customers from './de/customers.json';
import deliverability from './de/deliverability.json';
import events from './de/events.json';
import flows from './de/flows.json';
import forms from './de/forms.json';
import keys from './de/keys.json';
import lists from './de/lists.json';
import mailbox from './de/mailbox.json';
import members from './de/members.json';
import orders from './de/orders.json';
import problems from './de/problems.json';
import products from './de/products.json';
import reasons from './de/reasons.json';
import segments from './de/segments.json';
import settings from './de/settings.json';
import shared from './de/shared.json';
import shipping from './de/shipping.json';
import subscriptions from './de/subscriptions.json';
import suppressions from './de/suppressions.json';
import taxes from './de/taxes.json';
import webhooks from './de/webhooks.json';
import type en from './en.ts';

export default {
  ...activity,
  ...flows,
  ...lists,
  ...contacts,
  ...customers,
  ...deliverability,
  ...events,
  ...forms,
  ...mailbox,
  ...orders,
  ...problems,
  ...products,
  ...subscriptions,
  ...suppressions,
  ...members,
  ...audit,
  ...account,
  ...keys,
  ...webhooks,
  ...reasons,
  ...segments,
  ...settings,
  ...shared,
  ...shipping,
  ...taxes,
} satisfies Record<keyof typeof en, string>;
