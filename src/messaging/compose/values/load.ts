import type { Queryable } from '../../../db/pool.ts';
import type { JsonValue, RenderContext } from '../liquid/engine.ts';
import { categoriesIn, type DataName, dataIn, SAMPLES } from './names.ts';

/** What the texts of the messages ask for beside the variable itself. */
export interface Asked {
  now: Date;
  /** Slugs of categories. */
  categories: string[];
}

/** Loads the values of one variable by the ids of customers or contacts, in a constant number of statements; who has none is absent. */
export type LoadValues = (
  db: Queryable,
  companyId: number,
  ids: number[],
  asked: Asked,
) => Promise<Map<number, JsonValue>>;
export type DataLoaders = Record<DataName, LoadValues>;

/** A message, as far as it decides which values it has. */
export interface DataOwner {
  messageId: number;
  texts: readonly (string | null)[];
  /** null: samples are shown. */
  contactId: number | null;
  /** The contact's. Of a customer's contact it is the customer's id. */
  externalId: string | null;
}

const CUSTOMER_ID = /^[1-9]\d{0,14}$/;

export function createDataLoader(loaders: DataLoaders) {
  /** Loads what the texts of messages of one company name, in a constant number of statements; none where nothing is named. */
  return async function loadData(
    db: Queryable,
    companyId: number,
    owners: readonly DataOwner[],
    now: Date,
  ): Promise<(messageId: number) => RenderContext> {
    const namesOf = byText(dataIn);
    const categoriesOf = byText(categoriesIn);
    const named = owners.flatMap((owner) => {
      const names = [...new Set(owner.texts.flatMap(namesOf))];
      return names.length === 0 ? [] : [{ owner, names }];
    });
    if (named.length === 0) return () => ({});
    const wanted = [...new Set(named.flatMap(({ names }) => names))];
    const categories = [...new Set(named.flatMap(({ owner }) => owner.texts.flatMap(categoriesOf)))];
    const loaded = await Promise.all(
      wanted.map(async (name) => {
        const idsOf = named.flatMap(({ owner, names }) => (names.includes(name) ? (ownerId(name, owner) ?? []) : []));
        const ids = [...new Set(idsOf)];
        const load = loaders[name];
        return [name, ids.length === 0 ? new Map() : await load(db, companyId, ids, { now, categories })] as const;
      }),
    );
    const values: Map<DataName, Map<number, JsonValue>> = new Map(loaded);
    const valueFor = (name: DataName, owner: DataOwner): JsonValue => {
      if (owner.contactId === null) return sampleOf(name, categories);
      const id = ownerId(name, owner);
      return id === null ? null : (values.get(name)?.get(id) ?? null);
    };
    const contexts = new Map(
      named.map(({ owner, names }) => [
        owner.messageId,
        contextOf(names.map((name) => [name, valueFor(name, owner)] as const)),
      ]),
    );
    return (messageId) => contexts.get(messageId) ?? {};
  };
}

/** Messages of one campaign share their texts: each is looked at once. */
function byText<Found>(find: (text: string) => Found[]): (text: string | null) => Found[] {
  const known = new Map<string, Found[]>();
  return (text) => {
    if (text === null) return [];
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}

/** `recommendations` has its parts; it is null where each of them is. */
function contextOf(values: readonly (readonly [DataName, JsonValue])[]): RenderContext {
  const context: RenderContext = {};
  for (const [name, value] of values) {
    const [variable, part] = name.split('.') as [string, string?];
    if (part === undefined) context[variable] = value;
    else if (value === null) context[variable] ??= null;
    else context[variable] = { ...(context[variable] as RenderContext | null), [part]: value };
  }
  return context;
}

function sampleOf(name: DataName, categories: readonly string[]): JsonValue {
  const sample = SAMPLES[name];
  return name === 'recommendations.best_sellers_by_category'
    ? Object.fromEntries(categories.map((category) => [category, sample]))
    : sample;
}

const OF_CUSTOMERS: readonly DataName[] = ['loyalty', 'subscription', 'recommendations.bought_together'];

/** By whose id a variable is loaded; null: the contact has no such values. */
function ownerId(name: DataName, owner: DataOwner): number | null {
  return OF_CUSTOMERS.includes(name) ? customerOf(owner) : owner.contactId;
}

function customerOf({ contactId, externalId }: DataOwner): number | null {
  return contactId !== null && externalId !== null && CUSTOMER_ID.test(externalId) ? Number(externalId) : null;
}
