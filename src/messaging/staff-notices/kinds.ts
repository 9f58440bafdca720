import type { Role } from '../../access/roles.ts';
import type { Scope } from '../../access/scopes.ts';

export const NOTICE_KINDS = ['new_order', 'low_stock', 'dispute', 'renewal_failed', 'sending_paused'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Where a person is told of a kind. */
export interface Choice {
  app: boolean;
  mail: boolean;
}

interface KindRule {
  /** Who may not read the record is not told of it. */
  scope: Scope;
  /** The roles that get e-mails as long as they have chosen nothing. */
  mailed: readonly Role[];
}

/** See docs/design/accounts-and-roles.md. */
export const KIND_RULES: Readonly<Record<NoticeKind, KindRule>> = {
  new_order: { scope: 'orders:read', mailed: [] },
  low_stock: { scope: 'products:read', mailed: [] },
  dispute: { scope: 'orders:read', mailed: ['owner', 'manager'] },
  renewal_failed: { scope: 'subscriptions:read', mailed: [] },
  sending_paused: { scope: 'marketing:read', mailed: ['owner', 'manager', 'marketer'] },
};

/** Of orders, payments and stock: gathered into e-mails by the worker. A pause writes its own e-mails. */
export const GATHERED_KINDS = NOTICE_KINDS.filter((kind) => kind !== 'sending_paused');

/** By kind; a kind that the role may not read is missing. */
export function choicesOf(
  role: Role,
  scopes: ReadonlySet<string>,
  chosen: readonly (Choice & { kind: string })[],
): Map<NoticeKind, Choice> {
  const choices = new Map<NoticeKind, Choice>();
  for (const kind of NOTICE_KINDS) {
    const { scope, mailed } = KIND_RULES[kind];
    if (!scopes.has(scope)) continue;
    const own = chosen.find((one) => one.kind === kind);
    choices.set(kind, { app: own?.app ?? true, mail: own?.mail ?? mailed.includes(role) });
  }
  return choices;
}
