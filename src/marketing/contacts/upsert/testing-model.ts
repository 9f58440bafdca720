/** A simple model of the upsert contract, with which the tests compare the implementation. */
export interface ModelInput {
  external_id?: string;
  email?: string;
  phone?: string;
  first_name?: string;
  tags?: string[];
}

export interface ModelContact {
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  tags: string[];
}

export type ModelOutcome = 'conflict' | (ModelContact & { created: boolean });

const FIELDS = ['external_id', 'email', 'phone', 'first_name'] as const;

/** Applies the upsert to `contacts` and returns its outcome. */
export function upsertModel(contacts: Set<ModelContact>, input: ModelInput): ModelOutcome {
  const holder = (field: 'external_id' | 'email' | 'phone') =>
    input[field] === undefined ? undefined : [...contacts].find((contact) => contact[field] === input[field]);
  const [winner, ...losers] = new Set(
    [holder('external_id'), holder('email'), holder('phone')].filter((one) => one !== undefined),
  );
  if (losers.some((loser) => loser.external_id !== null)) return 'conflict';
  const contact = winner ?? { external_id: null, email: null, phone: null, first_name: null, tags: [] };
  contacts.add(contact);
  for (const loser of losers) {
    contacts.delete(loser);
    for (const field of FIELDS) contact[field] ??= loser[field];
    contact.tags = [...new Set([...contact.tags, ...loser.tags])];
  }
  for (const field of FIELDS) contact[field] = input[field] ?? contact[field];
  contact.tags = [...new Set([...contact.tags, ...(input.tags ?? [])])];
  return { ...contact, created: winner === undefined };
}

/** All orders of the items. */
export function* permutations<T>(items: T[]): Generator<T[]> {
  if (items.length < 2) yield items;
  for (const [i, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(i, 1))) yield [item, ...rest];
  }
}
