import { DATA_NAMES } from '../values.ts';

/** The variables of messages: each name maps to the names within it, or to `true` if any name may follow. */
export type KnownNames = { [name: string]: true | KnownNames };

/** Names available to every message; those of contacts and coupons are added. */
const ANY = true;
const CONSENT = { state: ANY, since: ANY, source: ANY } as const;
export function knownNames(
  properties: readonly string[],
  coupons: readonly string[],
  customFields: readonly string[],
): KnownNames {
  return {
    contact: {
      contact_id: ANY,
      email: ANY,
      first_name: ANY,
      last_name: ANY,
      phone: ANY,
      external_id: ANY,
      source: ANY,
      tags: ANY,
      status: ANY,
      lists: ANY,
      preferences: ANY,
      created_at: ANY,
      updated_at: ANY,
      consent: { email: CONSENT, sms: CONSENT },
      properties: Object.fromEntries(properties.map((name) => [name, ANY])),
    },
    company: { name: ANY, currency: ANY },
    campaign: { campaign_id: ANY, name: ANY, variant: ANY },
    coupon: Object.fromEntries(coupons.map((name) => [name, ANY])),
    ...DATA_NAMES,
    customer: { custom: Object.fromEntries(customFields.map((key) => [key, ANY])) },
    event: ANY,
    event_type: ANY,
    order: ANY,
    vars: ANY,
    unsubscribe_url: ANY,
    preferences_url: ANY,
    confirm_url: ANY,
  };
}

/** Returns the full names of the variables. */
export function namesIn(known: KnownNames, before = ''): string[] {
  return Object.entries(known).flatMap(([name, inside]) =>
    inside === true ? [`${before}${name}`] : namesIn(inside, `${before}${name}.`),
  );
}

/** Maximum number listed; a template with more of them has one common cause. */
const MOST_NAMED = 20;

/** Returns the first unknown paths, each once, with the closest known path. */
export function unknownPaths(
  paths: readonly string[][],
  known: KnownNames,
): { path: string; nearest: string | null }[] {
  const found = new Map<string, string | null>();
  for (const path of paths) {
    if (found.size === MOST_NAMED) break;
    const at = unknownAt(path, known);
    const name = path.join('.');
    if (at !== null && !found.has(name)) found.set(name, nearest(path, at, known));
  }
  return [...found].map(([path, near]) => ({ path, nearest: near }));
}

/** Returns the index of the first unknown name; null if all are known. */
function unknownAt(path: readonly string[], known: KnownNames): number | null {
  let names: true | KnownNames = known;
  for (const [i, name] of path.entries()) {
    if (names === true) return null;
    // Coupon codes are not case-sensitive.
    const key: string | undefined = Object.hasOwn(names, name)
      ? name
      : path[0] === 'coupon' && i === 1
        ? Object.keys(names).find((one) => one.toUpperCase() === name.toUpperCase())
        : undefined;
    if (key === undefined) return i;
    names = names[key]!;
  }
  return null;
}

function nearest(path: readonly string[], at: number, known: KnownNames): string | null {
  const before = path.slice(0, at);
  const siblings = Object.keys(before.reduce<KnownNames>((names, name) => names[name] as KnownNames, known));
  const near = closest(path[at]!, siblings);
  if (near !== null) return [...before, near, ...path.slice(at + 1)].join('.');
  // `first_name` alone, and `contact.size` instead of `contact.properties.size`.
  const last = path.at(-1)!;
  for (const place of [['contact'], ['contact', 'properties']]) {
    const names = place.reduce<KnownNames>((all, name) => all[name] as KnownNames, known);
    const one = closest(last, Object.keys(names));
    if (one !== null) return [...place, one].join('.');
  }
  return null;
}

const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Returns the closest name that differs by at most two letters and at most two fifths of its length. */
function closest(name: string, names: readonly string[]): string | null {
  const wanted = bare(name.slice(0, 60));
  let best: { name: string; distance: number } | null = null;
  for (const one of names) {
    const other = bare(one.slice(0, 60));
    if (Math.abs(other.length - wanted.length) > 2) continue;
    const distance = distanceOf(wanted, other);
    if (distance <= Math.min(2, wanted.length / 2.5) && (best === null || distance < best.distance)) {
      best = { name: one, distance };
    }
  }
  return best?.name ?? null;
}

/** Edit distance: how many letters must be inserted, removed or changed. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
