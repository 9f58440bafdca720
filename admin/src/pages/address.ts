/** The first row whose path fits an address below a company; a part of a path that begins with $ takes any. */
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
