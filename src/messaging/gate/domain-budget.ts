/** The used part of a domain's hourly limit; times in milliseconds since 1970. No database access in this file. */
export interface DomainBudget {
  /** Time until which the limit is used up: each message takes its share of an hour. */
  freeAt: number;
  /** Time up to which postponed messages are spread. */
  putOffTo: number;
}

export interface Lease {
  budget: DomainBudget;
  /** How many may be sent now. */
  granted: number;
  /** When each of the others is tried again, in milliseconds since 1970. */
  putOff: number[];
}

const HOUR_MS = 3_600_000;
/** After a pause, messages for this much time may be sent at once, but at least one. */
const BURST_MS = 60_000;
/** Postponed messages are tried again within this time, so that a raised limit takes effect. */
const SPREAD_MS = HOUR_MS;
const LEAST_WAIT_MS = 1_000;

/** Takes up to `wanted` messages from a budget of `perHour` and spreads the rest over the time in which they may be sent. */
export function leaseFrom({ freeAt, putOffTo }: DomainBudget, wanted: number, perHour: number, now: number): Lease {
  const gap = HOUR_MS / perHour;
  const burst = Math.max(gap, BURST_MS);
  // A time in the future was written while the clock was ahead.
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
