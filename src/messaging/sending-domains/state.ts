import type { Findings } from './dns-records.ts';

export type DomainState = 'pending' | 'verified' | 'failing';

export interface Standing {
  state: DomainState;
  /** When it was first verified. */
  verifiedAt: Date | null;
  failingSince: Date | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a domain's state after a check: only its DKIM record decides, and a DNS that does not respond changes nothing. */
export function standingAfter(before: Standing, findings: Findings, now: Date): Standing {
  const dkim = findings.dkim?.state;
  if (dkim === 'found') return { state: 'verified', verifiedAt: before.verifiedAt ?? now, failingSince: null };
  if (dkim === 'unreachable' || dkim === undefined || before.state === 'pending') return before;
  return { ...before, state: 'failing', failingSince: before.failingSince ?? now };
}

/** Nobody has set the records yet when a domain has just been added. */
export function firstCheck(createdAt: Date): Date {
  return new Date(createdAt.getTime() + 10 * MINUTE);
}

/**
 * Returns when the domain is checked next: daily, and sooner while someone is likely to be setting its records. `unverifiedSince`: since
 * when its tracking host has not been verified; null if it has no host or the host is verified.
 */
export function nextCheck(
  standing: Standing,
  findings: Findings,
  createdAt: Date,
  now: Date,
  unverifiedSince: Date | null = null,
): Date {
  const forHost = unverifiedSince === null ? DAY : waitSince(unverifiedSince, now);
  const wait = (): number => {
    if (findings.dkim?.state === 'unreachable') return HOUR;
    if (standing.state === 'verified') return DAY;
    if (standing.state === 'failing') return now.getTime() - standing.failingSince!.getTime() < DAY ? HOUR : DAY;
    return waitSince(createdAt, now);
  };
  return new Date(now.getTime() + Math.min(wait(), forHost));
}

function waitSince(moment: Date, now: Date): number {
  const age = now.getTime() - moment.getTime();
  if (age < HOUR) return 10 * MINUTE;
  return age < 3 * DAY ? HOUR : DAY;
}
