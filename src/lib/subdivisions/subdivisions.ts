import english from 'cldr-subdivisions-full/subdivisions/en/en.json' with { type: 'json' };
import { iso31662 } from 'iso-3166/2.js';
import { SUBDIVISION_ALIASES } from './aliases.ts';

/** A state, province, region or the like of a country, by ISO 3166-2. */
export interface Subdivision {
  /** Without its country: `TX` for US-TX. */
  code: string;
  /** In English, otherwise as ISO has it. */
  name: string;
  /** The code of the subdivision that it is part of: an Italian province lies in a region. */
  parent: string | null;
}

interface Country {
  byCode: ReadonlyMap<string, Subdivision>;
  /** By folded name; null where several have it. */
  byName: ReadonlyMap<string, Subdivision | null>;
}

const ENGLISH: Readonly<Record<string, string>> = english.subdivisions.localeDisplayNames.subdivisions;
const ENTRIES = new Map<string, typeof iso31662>();
for (const entry of iso31662) {
  const entries = ENTRIES.get(entry.code.slice(0, 2));
  if (entries === undefined) ENTRIES.set(entry.code.slice(0, 2), [entry]);
  else entries.push(entry);
}

const COUNTRIES = new Map<string, Country>();
const NONE: Country = { byCode: new Map(), byName: new Map() };

/** Longer than the name of any: longer input is rejected unread. */
const MAX_LENGTH = 100;

/** Returns the subdivisions of a country (alpha-2), by name; none for a country without. */
export function subdivisionsOf(country: string): Subdivision[] {
  return [...countryOf(country).byCode.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/**
 * Returns the code of the subdivision that is named by its code (`TX`, `US-TX`) or its name in English or as ISO has it, in any case and
 * with or without accents and words such as "State" or "Province of". Null for anything else, and for a name that several have.
 */
export function normaliseSubdivision(country: string, text: string): string | null {
  return find(country, text)?.code ?? null;
}

/** Returns the codes of the subdivision and of those that it is part of, the narrowest first; none for an unknown one. */
export function areasOf(country: string, text: string): string[] {
  const { byCode } = countryOf(country);
  const areas: string[] = [];
  let area: Subdivision | undefined = find(country, text) ?? undefined;
  while (area !== undefined) {
    areas.push(area.code);
    area = area.parent === null ? undefined : byCode.get(area.parent);
  }
  return areas;
}

function find(country: string, text: string): Subdivision | null {
  const { byCode, byName } = countryOf(country);
  if (text.length > MAX_LENGTH) return null;
  const code = text.trim().toUpperCase();
  const short = code.startsWith(country) ? code.slice(country.length).replace(/^[-_ ]/, '') : code;
  const known = byCode.get(code) ?? byCode.get(short);
  if (known !== undefined) return known;
  const folded = fold(text);
  if (folded === '') return null;
  return byName.get(folded) ?? byName.get(withoutKind(folded)) ?? null;
}

function countryOf(country: string): Country {
  const entries = ENTRIES.get(country);
  if (entries === undefined) return NONE;
  const kept = COUNTRIES.get(country);
  if (kept !== undefined) return kept;
  const made = readCountry(country, entries);
  COUNTRIES.set(country, made);
  return made;
}

function readCountry(country: string, entries: typeof iso31662): Country {
  const byCode = new Map<string, Subdivision>();
  const exact: [string, Subdivision][] = [];
  const loose: [string, Subdivision][] = [];
  for (const { code, name: local, parent } of entries) {
    const name = ENGLISH[code.replace('-', '').toLowerCase()] ?? local;
    const one = { code: code.slice(3), name, parent: parent === country ? null : parent.slice(3) };
    byCode.set(one.code, one);
    exact.push([name, one], [local, one]);
    // "Bristol, City of", "Bolzano, Bozen", "Puducherry (Pondicherry)"
    for (const part of local.split(/[,()]/)) loose.push([part, one]);
  }
  for (const entry of (SUBDIVISION_ALIASES[country] ?? '').split(',')) {
    const [code = '', names] = entry.trim().split(':');
    if (names === undefined) continue;
    const [first = ''] = names.split('|');
    const one = byCode.get(code) ?? { code, name: first, parent: null };
    byCode.set(code, one);
    for (const name of names.split('|')) exact.push([name, one]);
  }
  const byName = new Map<string, Subdivision | null>();
  addNames(
    byName,
    exact.map(([name, one]) => [fold(name), one]),
  );
  const shorter = [...exact, ...loose].map(([name, one]) => [withoutKind(fold(name)), one] as const);
  addNames(
    byName,
    shorter.filter(([name]) => !byName.has(name)),
  );
  return { byCode, byName };
}

/** A name of a part and of the whole means the part, which is in the whole as well. */
function addNames(byName: Map<string, Subdivision | null>, names: readonly (readonly [string, Subdivision])[]): void {
  for (const [name, one] of names) {
    if (name === '') continue;
    const other = byName.get(name);
    if (other === undefined || other === one || other?.code === one.parent) byName.set(name, one);
    else if (other?.parent !== one.code) byName.set(name, null);
  }
}

const BEFORE =
  /^(?:(?:state|province|region|prefecture|county|department|governorate|district|commonwealth|autonomous community) of (?:the )?|wilayah persekutuan )/;
const AFTER =
  / (?:state|province|region|prefecture|county|canton|oblast|department|governorate|district|territory|city)$/;
const AFTER_LOCAL =
  / (?:sheng|shi|zizhiqu|sar|do|teukbyeolsi|gwangyeoksi|teukbyeoljachido)$|(?<=.)(?:都|府|県|省|市|自治区|特别行政区|특별시|광역시|특별자치시|특별자치도|도)$/;

function withoutKind(folded: string): string {
  return folded.replace(BEFORE, '').replace(AFTER, '').replace(AFTER_LOCAL, '');
}

function fold(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}.'’‘ʻ`]/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/\bsaint\b/g, 'st')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
