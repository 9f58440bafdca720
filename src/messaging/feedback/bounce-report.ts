export interface BounceReport {
  /** soft: a temporary failure; complaint: the recipient reported it as spam. */
  kind: 'hard' | 'soft' | 'complaint';
  /** As the provider writes it. */
  email: string;
  /** The Message-ID header of the mail, if the provider passes it on. */
  messageId: string | null;
}

export function report(kind: BounceReport['kind'], email: unknown, messageId: unknown): BounceReport[] {
  if (typeof email !== 'string' || email.length > 320) return [];
  return [{ kind, email, messageId: typeof messageId === 'string' ? messageId.slice(0, 998) : null }];
}

/** Returns the id of the ledger message that a Message-ID of ours names, for this company only. */
export function ledgerIdOf(messageId: string | null, companyId: number): number | null {
  const match = /^<?m([1-9]\d{0,15})\.c([1-9]\d{0,15})(?:\.[0-9a-z]+)?@/.exec(messageId?.trim() ?? '');
  return match !== null && Number(match[2]) === companyId ? Number(match[1]) : null;
}
