import type { SendingLimits } from '../../config.ts';

/** Counts of a company's e-mails in a period. Only hard bounces count. No database access in this file. */
export interface EmailTotals {
  sent: number;
  /** Hard bounces in the mail server's response at the hand-over: these were not sent. */
  refused: number;
  /** Hard bounces reported later. */
  bounced: number;
  complained: number;
}

/** Fractions of 1. */
export interface EmailRates {
  /** Of attempted e-mails. */
  bounce_rate: number;
  /** Of delivered e-mails. */
  complaint_rate: number;
}

export const PAUSE_REASONS = ['complaint_rate', 'bounce_rate'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** The fraction of a limit from which a warning is shown. */
const WARNING = 0.5;

/** A bounce or complaint may arrive days after the message, in a period with little sending, so a rate is capped at 1. */
export function ratesOf({ sent, refused, bounced, complained }: EmailTotals): EmailRates {
  return {
    bounce_rate: share(bounced + refused, sent + refused),
    complaint_rate: share(complained, sent - bounced),
  };
}

function share(part: number, whole: number): number {
  return part <= 0 ? 0 : Math.min(1, part / Math.max(1, whole));
}

/** Returns the limits of the installation, which a company can only make stricter; null where it has none of its own. */
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

/** Returns the rate above its limit, complaints first; null if there is none, or too few e-mails to judge. */
export function reasonToPause(totals: EmailTotals, limits: SendingLimits): PauseReason | null {
  return PAUSE_REASONS.find((reason) => isAbove(reason, totals, limits, 1)) ?? null;
}

/** Returns the rate that has reached half of its limit. */
export function reasonToWarn(totals: EmailTotals, limits: SendingLimits): PauseReason | null {
  return PAUSE_REASONS.find((reason) => isAbove(reason, totals, limits, WARNING)) ?? null;
}

function isAbove(reason: PauseReason, totals: EmailTotals, limits: SendingLimits, part: number): boolean {
  if (totals.sent + totals.refused < limits.least_messages) return false;
  return ratesOf(totals)[reason] > limits[reason] * part;
}
