export const ENTRY_KINDS = ['messages', 'orders', 'events', 'changes'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
