import type { MasterKey } from '../master-key.ts';

/** How a column stores sealed values: bytes, base64, base64 after a prefix, or JSON with base64 in some fields. */
type Form = 'bytes' | 'base64' | 'marked' | 'json';

export interface SealedColumn {
  table: string;
  column: string;
  form: Form;
}

/** Every column with secrets under the master key; a test checks all other columns as well. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'company_secrets', column: 'ciphertext', form: 'bytes' },
  { table: 'webhook_endpoints', column: 'secret', form: 'bytes' },
  { table: 'person_totp', column: 'secret', form: 'bytes' },
  { table: 'erasures', column: 'texts', form: 'bytes' },
  { table: 'sending_domains', column: 'sealed_key', form: 'base64' },
  { table: 'sending_accounts', column: 'sealed_secret', form: 'base64' },
  { table: 'payment_accounts', column: 'sealed_config', form: 'base64' },
  { table: 'payments', column: 'next_action', form: 'base64' },
  { table: 'saved_payment_methods', column: 'sealed_token', form: 'base64' },
  { table: 'companies', column: 'settings', form: 'json' },
  { table: 'idempotency_keys', column: 'body', form: 'marked' },
];

/** Prefix of a sealed body of a stored response. */
const MARK = 'sealed:';
/** Sealed fields in JSON. */
const FIELDS = new Set(['sealed', 'sealed_key']);

/** Returns a condition on the column that holds for every value that may need sealing again, and for little else. */
export function candidates({ column, form }: SealedColumn, version: number): string {
  switch (form) {
    case 'bytes':
      return `get_byte(${column}, 0) <> ${version}`;
    case 'base64':
      return `get_byte(decode(left(${column}, 4), 'base64'), 0) <> ${version}`;
    case 'marked':
      return `${column} like '${MARK}%' and get_byte(decode(substr(${column}, ${MARK.length + 1}, 4), 'base64'), 0) <> ${version}`;
    case 'json':
      return `${column}::text like '%"sealed%'`;
  }
}

export type Stored = Buffer | string | object;

/** Returns the value sealed with the current key; undefined if it already is. */
export function resealed(value: Stored, { form }: SealedColumn, masterKey: MasterKey, version: number) {
  const anew = (sealed: Buffer): Buffer => (sealed[0] === version ? sealed : masterKey.seal(masterKey.open(sealed)));
  const anewText = (text: string): string => {
    const sealed = Buffer.from(text, 'base64');
    const fresh = anew(sealed);
    return fresh === sealed ? text : fresh.toString('base64');
  };
  if (form === 'bytes') return changed(value, anew(value as Buffer));
  if (form === 'base64') return changed(value, anewText(value as string));
  if (form === 'marked') return changed(value, MARK + anewText((value as string).slice(MARK.length)));
  let isChanged = false;
  const fresh = JSON.parse(JSON.stringify(value), (name, field: unknown) => {
    if (!FIELDS.has(name) || typeof field !== 'string') return field;
    const text = anewText(field);
    isChanged ||= text !== field;
    return text;
  }) as object;
  return isChanged ? JSON.stringify(fresh) : undefined;
}

function changed(before: Stored, now: Buffer | string): Buffer | string | undefined {
  return now === before ? undefined : now;
}
