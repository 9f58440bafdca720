import type { SendingLimits } from '../../config.ts';

/** What the e-mails of a company came to in a period; its bounces, hard ones alone. Knows no database. */
export interface EmailTotals {
  sent: number;
  /** Hard bounces in the mail server's response at the hand-over: these were not sent. */
  refused: number;
  /** Hard bounces that were reported afterwards. */
  bounced: number;
  complained: number;
}

/** Shares of 1. */
export interface EmailRates {
  /** Of what was tried. */
  bounce_rate: number;
  /** Of what was delivered. */
  complaint_rate: number;
}

export const PAUSE_REASONS = ['complaint_rate', 'bounce_rate'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** From this share of a limit on there is a warning. */
const WARNING = 0.5;

/** A bounce or complaint may come days after the message, in a period in which little was sent: a rate is at most 1. */
export function ratesOf({ sent, refused, bounced, complained }: EmailTotals): EmailRates {
  return {
    bounce_rate: share(bounced + refused, sent + refused),
    complaint_rate: share(complained, sent - bounced),
  };
}

function share(part: number, whole: number): number {
  return part <= 0 ? 0 : Math.min(1, part / Math.max(1, whole));
}

/** The limits of the installation, which a company makes stricter at most; null where it has none of its own. */
export function limitsOf(
  installation: SendingLimits,
  own: { max_complaint_rate: number | null; max_bounce_rate: number | null },
): SendingLimits {
  return {
    complaint_rate: Math.min(installation.complaint_rate, own.max_complaint_rate ?? 1),
    bounce_rate: Math.min(installation.bounce_rate, own.max_bounce_rate ?? 1),
    least_messages: installation.least_messages,
  };
}

/** The rate that is above its limit, complaints first; null: none, or too few e-mails to say. */
export function reasonToPause(totals: EmailTotals, limits: SendingLimits): PauseReason | null {
  return PAUSE_REASONS.find((reason) => isAbove(reason, totals, limits, 1)) ?? null;
}

/** The rate that has reached half of its limit. */
export function reasonToWarn(totals: EmailTotals, limits: SendingLimits): PauseReason | null {
  return PAUSE_REASONS.find((reason) => isAbove(reason, totals, limits, WARNING)) ?? null;
}

function isAbove(reason: PauseReason, totals: EmailTotals, limits: SendingLimits, part: number): boolean {
  if (totals.sent + totals.refused < limits.least_messages) return false;
  return ratesOf(totals)[reason] > limits[reason] * part;
}
