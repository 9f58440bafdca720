import { preferencesRecord } from '../consent/preferences.ts';
import type { Contact } from '../contact.ts';
import type { Slot } from '../upsert/plan.ts';
import type { ActivityRow } from './activity-queries.ts';

/* Timeline entries for changes by upserts. */

export function preferenceChange({ id, current }: Slot): ActivityRow {
  const data = { ...preferencesRecord(current), source: 'api' };
  return { contactId: id!, type: 'preferences_changed', data, at: current.updated_at };
}

export function statusChange(slot: Slot): ActivityRow {
  return {
    contactId: slot.id!,
    type: 'status_changed',
    data: { from: slot.stored!.status, to: slot.current.status, cause: 'upsert' },
    at: slot.current.updated_at,
  };
}

export function suppressedChange({
  slot,
  before,
  after,
}: {
  slot: Slot;
  before: Contact;
  after: Contact;
}): ActivityRow {
  const cause = after.status === 'bounced' ? 'suppressed_bounce' : 'suppressed_unsubscribe';
  const data = { from: before.status, to: after.status, cause };
  return { contactId: slot.id!, type: 'status_changed', data, at: after.updated_at };
}
