import type { SendingCompany } from '../settings/settings.ts';

/**
 * Returns what a company's Message-IDs of one sender have in common, after the message's own id. Ids begin at 1 in every database; the
 * moment at which the company was created distinguishes databases that send from one domain, such as a shop and its trial installation.
 */
export function messageIdEnd({ companyId, createdAt }: Pick<SendingCompany, 'companyId' | 'createdAt'>, from: string) {
  return `.c${companyId}.${createdAt.getTime().toString(36)}@${from.slice(from.lastIndexOf('@') + 1)}`;
}

/** The Message-ID header; the same at each attempt. `ledgerIdOf` reads it back from a bounce report. */
export function messageIdOf(id: number, end: string): string {
  return `<m${id}${end}>`;
}
