/** Returns the first row whose path matches an address below a company; a path segment that begins with $ matches anything. */
export function firstFit<Row extends readonly [path: string, ...rest: unknown[]]>(
  rows: readonly Row[],
  address: string,
): Row | undefined {
  const asked = address.split('/');
  return rows.find(([path]) => {
    const parts = path.split('/');
    return parts.length === asked.length && parts.every((part, n) => part.startsWith('$') || part === asked[n]);
  });
}
