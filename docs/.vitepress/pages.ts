import { readdirSync, readFileSync } from 'node:fs';

/** The pages of the site in the order of its navigation. A test fails for a page of docs/ that is missing here. */
export interface Page {
  /** Path in the site, without an extension; '' is the first page, `design/` the page of a folder. */
  path: string;
  title: string;
  /** Contents, for llms.txt and the page's description. */
  about: string;
}

export interface Section {
  title: string;
  pages: readonly Page[];
  /** For people who work on the program: optional in llms.txt. */
  optional?: true;
}

const page = (path: string, title: string, about: string): Page => ({ path, title, about });

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      page('', 'Overview', 'What Tradeloom is, and where each role begins'),
      page('guides/quick-start', 'Quick start', 'From two commands to an order that sent an e-mail'),
      page('concepts', 'Concepts', 'How companies, customers, contacts, events, flows and messages fit together'),
      page('glossary', 'Glossary', 'The terms of the documentation, each in a sentence'),
    ],
  },
  {
    title: 'Run a shop',
    pages: [
      page('guides/owners-tour', "The owner's tour", 'Ten minutes in the admin app with the demo shop'),
      page(
        'guides/variants',
        'Sell products with variants',
        'Variants, a collection, a promo code for it, and stock at two places',
      ),
      page(
        'guides/take-your-first-payment',
        'Take your first payment',
        'Cards by Stripe and payment pages by Mollie: keys, test, live',
      ),
      page('guides/take-money', 'Take money and give it back', 'Ledgers, money received by hand, pay links, refunds'),
      page('guides/moving-in', 'Moving in', 'Import from Shopify, WooCommerce, Mailchimp, Klaviyo or CSV'),
    ],
  },
  {
    title: 'Do marketing',
    pages: [
      page('guides/first-flow', 'Your first flow', 'Build, try, activate and read an automation'),
      page(
        'guides/first-campaign',
        'Your first campaign',
        'Write, test and send an e-mail to a list, and read its report',
      ),
      page('guides/segments', 'Segments by example', 'Conditions on fields, events, purchases and messages'),
      page('guides/deliverability', 'Deliverability', 'Domains, bounces, complaints, consent and warm-up'),
    ],
  },
  {
    title: 'Recipes',
    pages: [
      page('recipes/recover-a-cart', 'Recover a cart', 'Remind contacts who abandon a cart, until they order'),
      page(
        'recipes/replenishment',
        'Remind customers when their next order is due',
        'A campaign, a flow or a subscription',
      ),
      page('recipes/loyalty-at-the-till', 'Loyalty at the till', 'Earn and redeem points in a physical shop'),
      page(
        'recipes/promo-per-recipient',
        'A promo code for each recipient',
        'Issue a separate coupon with each message',
      ),
      page('recipes/webhooks', 'Receive webhooks', 'Verify signatures, ignore repeated events, replay failures'),
    ],
  },
  {
    title: 'Build on it',
    pages: [
      page('api', 'Integrate a shop or a till', 'Both APIs, step by step, with requests to paste'),
      page('storefront', 'Build a storefront', 'Keys, catalogue, cart, payment, order, errors and limits'),
      page('reference', 'API reference', 'Every endpoint: pages, OpenAPI, Postman, files for language models'),
      page('client', 'Client for TypeScript', 'The package @tradeloom/client'),
      page(
        'guides/assistant',
        'An assistant',
        'Tools for an AI assistant by MCP: a key that reads, registering, writing, HTTP',
      ),
      page('errors', 'Errors', 'Every error code with its status, cause and fix'),
    ],
  },
  {
    title: 'Operate it',
    pages: [
      page('operations', 'Operations', 'Settings, production, several processes, retention, growth'),
      page('guides/back-up-and-restore', 'Back up and restore', 'Backups, point-in-time recovery, rehearsal'),
      page('guides/install', 'Install', 'npm, systemd, Docker, Compose, Kubernetes, and how to upgrade each'),
      page('guides/upgrade', 'Upgrade', 'From one version to the next, with several processes too'),
      page('guides/monitoring', 'Monitor it', 'Health, metrics, alerts, dashboard'),
      page('security', 'Security', 'What is protected, how, and what is left to you'),
      page('security-asvs', 'OWASP ASVS', 'Each requirement of levels 1 and 2 with its proof'),
      page('vulnerabilities', 'Report a vulnerability', 'How to report, and what to expect'),
    ],
  },
  {
    title: 'Work on it',
    optional: true,
    pages: [
      page('architecture', 'Architecture', 'How the program works, on one page'),
      page('contributing', 'Contributing', 'Add a resource in six steps'),
      page(
        'measurements/checkout',
        'How fast is the checkout?',
        'Carts and reservations, beside what the database can do',
      ),
      page('measurements/mutants', 'Do the tests bite?', 'Which changes of the core the tests notice, area by area'),
      page('changelog', 'Changelog', 'What changed in each version'),
      page('design/', 'Design notes', 'How each part works and why, one note for each subject'),
      ...designNotes(new URL('../design/', import.meta.url)),
    ],
  },
];

export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);

/** The page's file without its extension: in docs/, and in the built site. */
export function fileOf(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index` : path;
}

/** Each note with its heading as the title, and its question from its row of the index. */
function designNotes(folder: URL): Page[] {
  const index = readFileSync(new URL('index.md', folder), 'utf8');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'index.md');
  return names.sort().map((name) => {
    const title = /^# (.+)$/m.exec(readFileSync(new URL(name, folder), 'utf8'))?.[1] ?? name;
    const row = index.split('\n').find((line) => line.includes(`](${name})`));
    return page(`design/${name.slice(0, -'.md'.length)}`, title, row?.split('|')[2]?.trim() ?? '');
  });
}

/** Pages of the site that are files outside of docs/, by their path in the site. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  architecture: 'ARCHITECTURE.md',
  contributing: 'CONTRIBUTING.md',
  changelog: 'CHANGELOG.md',
  vulnerabilities: 'SECURITY.md',
  client: 'client/README.md',
};

/** Found by the navigation and by links, but not by the search: they would displace the guides from its results. */
export const NOT_SEARCHED: readonly string[] = [
  'security-asvs',
  'changelog',
  'architecture',
  'contributing',
  ...PAGES.filter(({ path }) => path.startsWith('design/')).map(({ path }) => fileOf(path)),
];
