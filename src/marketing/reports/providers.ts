/** Mailbox providers, by the domains of the addresses that they give to people. Domains of companies that they host are `other`. */
const DOMAINS = {
  gmail: ['gmail.com', 'googlemail.com'],
  outlook: [
    ...['outlook.com', 'outlook.de', 'outlook.fr', 'outlook.es', 'outlook.it', 'outlook.at', 'outlook.be'],
    ...[
      'hotmail.com',
      'hotmail.de',
      'hotmail.co.uk',
      'hotmail.fr',
      'hotmail.es',
      'hotmail.it',
      'hotmail.nl',
      'hotmail.be',
    ],
    ...['live.com', 'live.de', 'live.co.uk', 'live.fr', 'live.it', 'live.nl', 'live.be', 'live.at', 'msn.com'],
  ],
  yahoo: [
    ...['yahoo.com', 'yahoo.de', 'yahoo.co.uk', 'yahoo.fr', 'yahoo.es', 'yahoo.it', 'yahoo.ca', 'yahoo.com.au'],
    ...['yahoo.com.br', 'yahoo.co.in', 'yahoo.in', 'yahoo.co.jp', 'ymail.com', 'rocketmail.com'],
    ...['aol.com', 'aol.de', 'aol.co.uk', 'aol.fr', 'aim.com'],
  ],
  icloud: ['icloud.com', 'me.com', 'mac.com'],
  gmx: ['gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'gmx.com', 'gmx.eu', 'gmx.org', 'gmx.info', 'web.de'],
} as const;

export const PROVIDERS = ['gmail', 'outlook', 'yahoo', 'icloud', 'gmx', 'other'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Each known domain with its provider. */
export const PROVIDER_DOMAINS: readonly (readonly [domain: string, provider: Provider])[] = (
  Object.entries(DOMAINS) as [Provider, readonly string[]][]
).flatMap(([provider, domains]) => domains.map((domain) => [domain, provider] as const));
