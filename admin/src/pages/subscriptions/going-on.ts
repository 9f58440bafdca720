/** Whether it has a next delivery. The server decides which actions are allowed, this only selects the buttons. */
export function isGoingOn({ status }: { status: string }): boolean {
  return status === 'active' || status === 'past_due';
}

/** The date of the next delivery: a paused subscription keeps its date, and delivers nothing on it. */
export function nextOf(subscription: { status: string; next_billing_date: string | null }): string | null {
  return isGoingOn(subscription) ? subscription.next_billing_date : null;
}
