import account from './en/account.json';
import activity from './en/activity.json';
import audit from './en/audit.json';
import contacts from './en/contacts.json';
import customers from './en/customers.json';
import deliverability from './en/deliverability.json';
import events from './en/events.json';
import flows from './en/flows.json';
import forms from './en/forms.json';
import keys from './en/keys.json';
import lists from './en/lists.json';
import mailbox from './en/mailbox.json';
import members from './en/members.json';
import orders from './en/orders.json';
import problems from './en/problems.json';
import products from './en/products.json';
import reasons from './en/reasons.json';
import segments from './en/segments.json';
import settings from './en/settings.json';
import shared from './en/shared.json';
import shipping from './en/shipping.json';
import subscriptions from './en/subscriptions.json';
import suppressions from './en/suppressions.json';
import taxes from './en/taxes.json';
import webhooks from './en/webhooks.json';

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
};
