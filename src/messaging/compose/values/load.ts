import type { Queryable } from '../../../db/pool.ts';
import type { JsonValue, RenderContext } from '../liquid/engine.ts';
import { categoriesIn, type DataName, dataIn, SAMPLES } from './names.ts';

/** What the texts of the messages require apart from the variable itself. */
export interface Asked {
  now: Date;
  /** Slugs of categories. */
  categories: string[];
}

/** Loads one variable by ids of customers or contacts, in a constant number of statements; ids without a value are absent. */
export type LoadValues = (
  db: Queryable,
  companyId: number,
  ids: number[],
  asked: Asked,
) => Promise<Map<number, JsonValue>>;
export type DataLoaders = Record<DataName, LoadValues>;

/** The parts of a message that determine its values. */
export interface DataOwner {
  messageId: number;
  texts: readonly (string | null)[];
  /** null: samples are shown. */
  contactId: number | null;
  /** The contact's external id; for the contact of a customer, the customer's id. */
  externalId: string | null;
}

const CUSTOMER_ID = /^[1-9]\d{0,14}$/;

export function createDataLoader(loaders: DataLoaders) {
  /** Loads the variables that the texts of one company's messages name, in a constant number of statements; none if none is named. */
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

/** Messages of one campaign share their texts, so each text is parsed once. */
function byText<Found>(find: (text: string) => Found[]): (text: string | null) => Found[] {
  const known = new Map<string, Found[]>();
  return (text) => {
    if (text === null) return [];
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}

/** Puts the recommendations into one variable, which is null if all of them are. */
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

/** Returns the id by which a variable is loaded; null if the contact cannot have such values. */
function ownerId(name: DataName, owner: DataOwner): number | null {
  return OF_CUSTOMERS.includes(name) ? customerOf(owner) : owner.contactId;
}

function customerOf({ contactId, externalId }: DataOwner): number | null {
  return contactId !== null && externalId !== null && CUSTOMER_ID.test(externalId) ? Number(externalId) : null;
}
