import type { Config } from './config.ts';

/** Returns where the server is reached: TRADELOOM_PUBLIC_URL, or its own address as seen on its machine. Without a trailing slash. */
export function originOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '');
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
