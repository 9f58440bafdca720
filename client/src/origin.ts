/**
 * Returns the origin of a server's address, or throws a TypeError that says what is wrong with it: requests to a wrong
 * address look like a network that fails.
 */
export function originOf(given: string, name = 'origin'): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(`${name} is ${JSON.stringify(given)}; it takes an address such as https://shop.example.com`);
  }
  const { origin, pathname, search, hash, username, password } = url;
  if (pathname !== '/' || search + hash + username + password !== '') {
    throw new TypeError(`${name} takes scheme, host and port alone: ${origin}`);
  }
  return origin;
}
