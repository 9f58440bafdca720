const OURS = /^\/pictures\/\d+\/\d+-[0-9a-f]{32}\/(thumb|medium|large)\.webp$/;

/**
 * Where the app takes a picture from, in a size: of this server alone, so that no other host learns who looks. null for pictures
 * of other hosts.
 */
export function pictureOf(url: string, variant: 'thumb' | 'medium'): string | null {
  const { pathname = '', origin } = URL.parse(url) ?? {};
  if (OURS.test(pathname)) return pathname.replace(/[a-z]+\.webp$/, `${variant}.webp`);
  return origin === location.origin ? url : null;
}
