/** The name of a category that has none of its own: `summer-shoes` is "Summer shoes". */
export function nameFromSlug(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
