import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../caller.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError, type FieldError, found, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { followDefinitions } from '../collections/definitions.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../configuration.ts';
import type { Shop, ShopCache } from '../shop.ts';
import type { CustomFieldInput, CustomFieldPatch, CustomFieldQuery, CustomFieldRecord } from './contract.ts';
import { type CustomFieldOwner, MAX_FIELDS } from './definition.ts';
import { definitionOf } from './fields.ts';
import * as queries from './queries.ts';
import { fits } from './values.ts';

export type CustomFieldsService = ReturnType<typeof createCustomFieldsService>;

/** Definitions of custom fields. Their values are in the records; who stores values calls `valueContext` (context.ts). */
export function createCustomFieldsService({ shops, ...deps }: ConfigurationDeps & { shops: ShopCache }) {
  const { db } = deps;
  return {
    /** By position. */
    async listCustomFields(companyId: number, { on, ...query }: CustomFieldQuery): Promise<Page<CustomFieldRecord>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [{ n: total }, rows] = await Promise.all([
        queries.countFields(lane, companyId, on),
        queries.listFields(lane, companyId, on, page),
      ]);
      return { rows: rows.map(recordOf), total, ...page };
    },

    /** Throws not_found. */
    async getCustomField(companyId: number, id: number): Promise<CustomFieldRecord> {
      return recordOf(found(await queries.findField(db.points(companyId), companyId, id), 'custom field'));
    },

    /** Returns the columns of an export: the keys of the fields, in their order. */
    async customColumns(companyId: number, owners: readonly CustomFieldOwner[]): Promise<{ custom: string[] }> {
      const { customFields } = await shops.get(companyId);
      const keys = customFields.filter(({ on }) => owners.includes(on)).map(({ key }) => key);
      return { custom: [...new Set(keys)] };
    },

    /** Throws validation_failed, duplicate. */
    async createCustomField(caller: Caller, input: CustomFieldInput): Promise<CustomFieldRecord> {
      const { companyId, now } = caller;
      return configure(deps, caller, { action: 'custom_field.create', details: input }, async (tx) => {
        await queries.lockDefinitions(tx, companyId);
        const { n, last } = await queries.countFields(tx, companyId, input.on);
        checkRoom(n, MAX_FIELDS, `custom fields of one kind of record`);
        const { on, key, name, type, ...given } = input;
        const field = checked(given, { ...NEW_FIELD, on, key, name, type, position: last + 1 });
        const created = await checkUnique(() => queries.insertField(tx, companyId, field, now));
        await followCollections(tx, companyId, created, now);
        return recordOf(created);
      });
    },

    /** Sets the fields that are given. Throws not_found, validation_failed, in_use. */
    async updateCustomField(caller: Caller, id: number, patch: CustomFieldPatch): Promise<CustomFieldRecord> {
      const { companyId, now } = caller;
      const shop = await shops.get(companyId);
      return configure(deps, caller, { action: 'custom_field.update', details: patch }, async (tx) => {
        await queries.lockDefinitions(tx, companyId);
        const old = found(await queries.findField(tx, companyId, id), 'custom field');
        const field = { ...old, ...checked(patch, old) };
        const isSame = field.type === old.type && field.list === old.list && isDeepStrictEqual(field.rules, old.rules);
        if (!isSame) await checkStored(tx, shop, field);
        const changed = await queries.updateField(tx, companyId, id, field, now);
        if (field.type !== old.type) await followCollections(tx, companyId, changed, now);
        return recordOf(changed);
      });
    },

    /** Returns the deleted definition; a chore removes its values (removal.ts). Throws not_found, and in_use while rules of collections need it. */
    async deleteCustomField(caller: Caller, id: number): Promise<CustomFieldRecord> {
      const { companyId, now } = caller;
      return configure(deps, caller, { action: 'custom_field.delete' }, async (tx) => {
        await queries.lockDefinitions(tx, companyId);
        const deleted = found(await queries.markDeleted(tx, companyId, id), 'custom field');
        await followCollections(tx, companyId, deleted, now);
        return recordOf(deleted);
      });
    },
  };
}

const NEW_FIELD = {
  list: false,
  required: false,
  rules: {},
  visible: 'staff',
  filterable: false,
} as const;

/** Throws in_use. */
async function followCollections(tx: Tx, companyId: number, { on, key }: queries.FieldRow, now: Date): Promise<void> {
  if (on === 'product' || on === 'variant') await followDefinitions(tx, companyId, key, now);
}

/** Throws validation_failed. */
function checked(given: CustomFieldPatch, old: queries.FieldValues): queries.FieldValues {
  const errors: FieldError[] = [];
  const field = definitionOf(given, old, errors);
  if (errors.length > 0) throw validationFailed(errors);
  return field;
}

/** Throws in_use with the number of stored values that do not satisfy the definition. */
async function checkStored(tx: Tx, shop: Shop, field: queries.FieldRow): Promise<void> {
  let count = 0;
  for await (const rows of queries.walkValues(tx, shop.companyId, field)) {
    count += rows.filter(({ value }) => !fits(field, value, shop)).length;
  }
  if (count === 0) return;
  throw new AppError('in_use', `${count} stored ${count === 1 ? 'value does' : 'values do'} not satisfy it`, { count });
}

/** Throws duplicate. */
async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'custom_fields_company_id_on_key_key') throw error;
    const message = 'Another custom field has this key, or the values of a deleted one are still being removed';
    throw new AppError('duplicate', message, { field: 'key' });
  }
}

function recordOf({ created_at, updated_at, ...row }: queries.FieldRow): CustomFieldRecord {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
