import type { MasterKey } from '../master-key.ts';

/** How a column holds what is sealed: the bytes, base64, base64 behind a word, or JSON with base64 in some of its fields. */
type Form = 'bytes' | 'base64' | 'marked' | 'json';

export interface SealedColumn {
  table: string;
  column: string;
  form: Form;
}

/** Every column with secrets under the master key; a test looks at all others as well. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'company_secrets', column: 'ciphertext', form: 'bytes' },
  { table: 'webhook_endpoints', column: 'secret', form: 'bytes' },
  { table: 'person_totp', column: 'secret', form: 'bytes' },
  { table: 'erasures', column: 'texts', form: 'bytes' },
  { table: 'sending_domains', column: 'sealed_key', form: 'base64' },
  { table: 'sending_accounts', column: 'sealed_secret', form: 'base64' },
  { table: 'companies', column: 'settings', form: 'json' },
  { table: 'idempotency_keys', column: 'body', form: 'marked' },
];

/** Before a sealed body of a stored response. */
const MARK = 'sealed:';
/** The fields of JSON that are sealed. */
const FIELDS = new Set(['sealed', 'sealed_key']);

/** A condition on the column that holds for whatever may have to be sealed anew, and for little else. */
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

/** The value sealed with the key that seals now; undefined where all of it is. */
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
