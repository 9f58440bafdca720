const OURS = /^\/pictures\/\d+\/\d+-[0-9a-f]{32}\/(thumb|medium|large)\.webp$/;

/**
 * Returns the address of a picture in a size, on this server only, so that no other host learns who looks at it. Null
 * for pictures of other hosts.
 */
export function pictureOf(url: string, variant: 'thumb' | 'medium'): string | null {
  const { pathname = '', origin } = URL.parse(url) ?? {};
  if (OURS.test(pathname)) return pathname.replace(/[a-z]+\.webp$/, `${variant}.webp`);
  return origin === location.origin ? url : null;
}
