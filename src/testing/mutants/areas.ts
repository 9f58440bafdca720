/** A part of the core that must not break unnoticed. */
export interface Area {
  name: string;
  /** Files and folders that are mutated. */
  paths: string[];
  /** Test files for it that neither lie beside it nor import it. */
  also?: string[];
}

/** What money, consent and the privacy of people hang on. */
export const AREAS: Area[] = [
  {
    name: 'order pricing and placing',
    paths: [
      'src/commerce/orders/placing/decide.ts',
      'src/commerce/orders/placing/snapshot.ts',
      'src/commerce/orders/placing/pricing.ts',
      'src/commerce/orders/placing/queries.ts',
      'src/commerce/orders/placing/place.ts',
      'src/commerce/taxes/calculate.ts',
      'src/commerce/taxes/match.ts',
      'src/commerce/shipping/match.ts',
      'src/commerce/address.ts',
      'src/commerce/allocation.ts',
      'src/commerce/money.ts',
    ],
  },
  {
    name: 'stock',
    paths: [
      'src/commerce/orders/placing/decide.ts',
      'src/commerce/orders/placing/snapshot.ts',
      'src/commerce/orders/status-change.ts',
      'src/commerce/inventory/stock.ts',
    ],
    also: ['src/commerce/orders/orders.test.ts', 'src/commerce/orders/placing/concurrency.test.ts'],
  },
  {
    name: 'carts',
    paths: ['src/commerce/carts', 'src/commerce/customers/guests.ts'],
  },
  {
    name: 'promo limits',
    paths: ['src/commerce/promotions/discount.ts', 'src/commerce/promotions/coupons/queries.ts'],
  },
  {
    name: 'loyalty',
    paths: ['src/commerce/loyalty/points.ts', 'src/commerce/loyalty/ledger.ts', 'src/commerce/loyalty/queries.ts'],
  },
  {
    name: 'subscription dates',
    paths: [
      'src/commerce/subscriptions/schedule.ts',
      'src/commerce/subscriptions/renewal/plan.ts',
      'src/commerce/subscriptions/upcoming.ts',
    ],
  },
  {
    name: 'rate limit',
    paths: ['src/http/api/rate-limit.ts', 'src/lib/leased-counts.ts'],
    also: ['src/http/api/rate-limit.test.ts'],
  },
  {
    name: 'idempotency',
    paths: ['src/db/idempotency.ts', 'src/db/stored-responses.ts'],
    also: ['src/db/idempotency-senders.test.ts'],
  },
  {
    name: 'authenticator',
    paths: [
      'src/access/authenticator.ts',
      'src/access/company-versions.ts',
      'src/access/company-cache.ts',
      'src/access/api-keys.ts',
    ],
    also: ['src/access/company-versions.test.ts'],
  },
  {
    name: 'scopes',
    paths: ['src/access/scopes.ts', 'src/access/roles.ts', 'src/http/api/admission.ts'],
    also: ['src/testing/walk.test.ts'],
  },
  {
    name: 'tenant barrier',
    paths: ['src/db/barrier'],
    also: ['src/db/barrier/barrier.test.ts', 'src/testing/tenants/two-companies.test.ts'],
  },
  { name: 'audit log', paths: ['src/access/audit.ts'] },
  {
    name: 'outbox',
    paths: [
      'src/outbox/queries.ts',
      'src/outbox/transfer.ts',
      'src/outbox/worker.ts',
      'src/outbox/customers',
      'src/outbox/endpoints/claim-queries.ts',
    ],
  },
  { name: 'flow engine', paths: ['src/marketing/flows/engine'], also: ['src/marketing/flows/execution/runs.test.ts'] },
  {
    name: 'consent gate',
    paths: ['src/messaging/send/gate.ts', 'src/messaging/send/gate-queries.ts'],
  },
  {
    name: 'sender claims',
    paths: [
      'src/messaging/send/claim.ts',
      'src/messaging/send/claim-queries.ts',
      'src/messaging/ledger/settle-queries.ts',
      'src/messaging/ledger/deliveries.ts',
    ],
    also: [
      'src/messaging/send/sender.test.ts',
      'src/messaging/send/smtp-sending.test.ts',
      'src/messaging/consent/preference-page.test.ts',
    ],
  },
  { name: 'unsubscribe tokens', paths: ['src/messaging/consent/tokens.ts', 'src/messaging/consent/page-token.ts'] },
  { name: 'webhook signature', paths: ['src/marketing/webhook/signature.ts', 'src/outbox/endpoints/sign.ts'] },
  {
    name: 'erasure',
    paths: [
      'src/erasure/steps.ts',
      'src/erasure/contact-queries.ts',
      'src/erasure/customer-queries.ts',
      'src/erasure/impersonal.ts',
      'src/erasure/worker.ts',
      'src/marketing/contacts/erasure',
    ],
    also: ['src/erasure/markers.test.ts', 'src/erasure/sides.test.ts'],
  },
  {
    name: 'retention',
    paths: [
      'src/retention/horizon.ts',
      'src/retention/queries.ts',
      'src/retention/removals.ts',
      'src/retention/worker.ts',
    ],
    also: [
      'src/retention/horizon.test.ts',
      'src/retention/worker.test.ts',
      'src/retention/progress.test.ts',
      'src/retention/retention.test.ts',
    ],
  },
  { name: 'dates of imports', paths: ['src/imports/readings/dates.ts', 'src/imports/kinds/values.ts'] },
];
