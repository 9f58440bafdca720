/** The server counts so many facets at once. */
const MOST_FACETS = 10;

/** Whether a name in the address is that of a filter by an option or a custom field, such as `option.Colour`. */
export function isFacetFilter(name: string): boolean {
  return /^(option|custom)\../s.test(name);
}

/** The names of the options of products, without those that cannot be counted. */
export function optionNames(products: readonly { options: { name: string }[] }[]): string[] {
  const names = products.flatMap(({ options }) => options.map(({ name }) => name));
  return [...new Set(names)].filter((name) => !name.includes(','));
}

/**
 * The filters to offer, at most as many as are counted at once: those that are set in the address, then options by name, then custom fields
 * by position. A custom field that is not filterable any more is left out: the server would refuse it.
 */
export function facetFilters(
  values: Readonly<Record<string, string>>,
  options: readonly string[],
  fields: readonly { key: string; filterable: boolean }[] | null,
): string[] {
  const customs =
    fields === null ? null : fields.filter(({ filterable }) => filterable).map(({ key }) => `custom.${key}`);
  const isKnown = (name: string): boolean => customs === null || !name.startsWith('custom.') || customs.includes(name);
  const set = Object.keys(values).filter((name) => isFacetFilter(name) && isKnown(name));
  const offered = [...options.map((name) => `option.${name}`).toSorted(), ...(customs ?? [])];
  const most = new Set([...set, ...offered].slice(0, Math.max(MOST_FACETS, set.length)));
  // A filter keeps its place when it is set.
  return [...new Set([...offered, ...set])].filter((name) => most.has(name));
}

/** The parameter `facets` for filters. */
export function facetsOf(filters: readonly string[]): string {
  const keys = filters.map((name) => name.replace(/^option\./, 'option:')).filter((key) => !key.includes(','));
  return keys.slice(0, MOST_FACETS).join(',');
}
