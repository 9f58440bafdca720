/** Returns the origin of a site as browsers send it; null if the text is not a scheme and a host. */
export function readOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    // Browsers send no patterns.
    !url.hostname.includes('*') &&
    url.pathname === '/' &&
    url.search + url.hash + url.username + url.password === '';
  return isOrigin ? url.origin : null;
}
