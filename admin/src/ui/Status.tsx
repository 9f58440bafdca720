import { tOf } from '../i18n/i18n.ts';
import css from './Status.module.css';

const TONES: Record<string, string> = {
  pending: 'amber',
  processing: 'blue',
  shipped: 'blue',
  delivered: 'green',
  cancelled: 'gray',
  active: 'green',
  inactive: 'gray',
  paused: 'amber',
  past_due: 'red',
  expired: 'gray',
  expiring: 'amber',
  note: 'amber',
  wrong: 'red',
  failed: 'red',
  archived: 'gray',
  revoked: 'gray',
  failing: 'red',
  used: 'blue',
  used_up: 'gray',
  scheduled: 'blue',
  sending: 'blue',
  draft: 'gray',
  bounced: 'red',
  completed: 'green',
  exited: 'gray',
  subscribed: 'green',
  unsubscribed: 'red',
  sent: 'green',
  queued: 'blue',
  claimed: 'blue',
  handing_over: 'blue',
  unknown: 'amber',
  checking: 'blue',
  running: 'blue',
  undoing: 'blue',
  checked: 'amber',
  done: 'green',
  undone: 'gray',
  verified: 'green',
  found: 'green',
  missing: 'amber',
  unchecked: 'gray',
  unreachable: 'amber',
  taken: 'red',
  no_https: 'red',
  limited: 'amber',
  in_transit: 'blue',
  received: 'green',
  open: 'blue',
  paying: 'amber',
  placed: 'green',
  ok: 'green',
  warning: 'amber',
  action_required: 'amber',
  authorized: 'blue',
  partially_paid: 'amber',
  paid: 'green',
  partially_refunded: 'blue',
  uncertain: 'amber',
  declined: 'red',
  test: 'amber',
  live: 'green',
};

/** A state as a coloured word. `of`: the texts that name it. */
export function Status({
  value,
  of = 'status',
}: {
  value: string;
  of?: 'status' | 'payment_status' | 'refund_status' | 'operation';
}) {
  return (
    <span className={css.status} data-tone={TONES[value] ?? 'gray'}>
      {tOf(of, value)}
    </span>
  );
}
