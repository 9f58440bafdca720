/** The used share of a domain's hourly limit; times in milliseconds since 1970. Knows no database. */
export interface DomainBudget {
  /** Up to when the limit's messages are spent: each takes its share of an hour. */
  freeAt: number;
  /** Up to when those that were put off are spread. */
  putOffTo: number;
}

export interface Lease {
  budget: DomainBudget;
  /** How many may go now. */
  granted: number;
  /** When each of the others is tried again, milliseconds since 1970. */
  putOff: number[];
}

const HOUR_MS = 3_600_000;
/** After a rest, so much time's worth may go at once, one message at least. */
const BURST_MS = 60_000;
/** What was put off is tried again within it, so that a limit that was raised is taken up. */
const SPREAD_MS = HOUR_MS;
const LEAST_WAIT_MS = 1_000;

/** Takes `wanted` messages out of a budget of `perHour`, as many as there are, and spreads the others over the time in which they may go. */
export function leaseFrom({ freeAt, putOffTo }: DomainBudget, wanted: number, perHour: number, now: number): Lease {
  const gap = HOUR_MS / perHour;
  const burst = Math.max(gap, BURST_MS);
  // One that lies ahead was written by a clock that was ahead.
  const spent = freeAt > now + LEAST_WAIT_MS ? now : Math.max(freeAt, now - burst);
  // Times have millisecond precision.
  const granted = Math.max(0, Math.min(wanted, Math.floor((now - spent + 1) / gap)));
  const putOff: number[] = [];
  const first = now + Math.max(gap, LEAST_WAIT_MS);
  let at = putOffTo > now + SPREAD_MS ? first : Math.max(putOffTo + gap, first);
  for (let i = granted; i < wanted; i += 1, at += gap) {
    if (at > now + SPREAD_MS) at = first;
    putOff.push(Math.floor(at));
  }
  const budget = {
    freeAt: Math.ceil(spent + granted * gap),
    putOffTo: putOff.at(-1) ?? Math.min(putOffTo, now + SPREAD_MS),
  };
  return { budget, granted, putOff };
}
