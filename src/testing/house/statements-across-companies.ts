/**
 * Statements, and pieces of such, that do not name one company themselves, with the reason: by `file#function`, or by file where the reason holds
 * for all of it. Every other statement has the company's id as a parameter.
 */
export const ACROSS_COMPANIES: Record<string, string> = {
  'src/access/attempts/queries.ts': 'Failures at the door, before it is known whose it is',
  'src/access/company-versions.ts#createCompanyVersions': 'The poll asks which companies changed',
  'src/access/invariants.ts': 'The doctor looks at every company',
  'src/access/api-key-queries.ts#findApiKeyByHash': 'The look-up that tells the company',
  'src/access/api-key-queries.ts#findApiKeyById': 'The command line names keys by their id alone',
  'src/access/company-queries.ts#listCompanies': 'The command line lists all of them',
  'src/access/session-queries.ts': 'Sessions and links belong to people, and these to the installation',
  'src/admin/accounts/queries.ts': 'People belong to the installation',
  'src/admin/second-factors/queries.ts': 'People belong to the installation',
  'src/commerce/invariants.ts': 'The doctor looks at every company',
  'src/commerce/orders/placing/placement-queries.ts#reserveOrderIds': 'Reads a sequence, no table',
  'src/commerce/subscriptions/renewal/queries.ts#companiesWithDue':
    'Finds the companies that a worker then serves one by one',
  'src/commerce/subscriptions/renewal/queries.ts#nextDue': 'Tells a worker when to wake',
  'src/db/purge.ts': 'Housekeeping by age alone',
  'src/db/home.ts#findHome': 'Reads what the server says of itself, no table',
  'src/db/writable.ts': 'Asks whether the database takes writes, and changes no row',
  'src/erasure/journal-queries.ts#companiesWithErasures': 'Finds the companies that a worker then serves one by one',
  'src/erasure/invariants.ts': 'The doctor looks at every company',
  'src/erasure/journal-queries.ts#findErasuresSince': 'The journal file beside the database has those of all companies',
  'src/installation.ts': 'About the installation, of which there is one row',
  'src/marketing/campaigns/due-queries.ts#findDue': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/due-queries.ts#findUnwritten': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/due-queries.ts#findFinished': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/due-queries.ts#findCancelled': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/readiness/sendable-queries.ts#findSending':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/retry/queries.ts#findRetrying': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience/snapshot-queries.ts#findWithoutSnapshot':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience/snapshot-queries.ts#findUncounted':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/variants/winner-queries.ts#findUndecided':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/variants/winner-queries.ts#findWaiting':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/due-queries.ts#nextScheduled': 'Tells a worker when to wake',
  'src/marketing/contacts/invariants.ts': 'The doctor looks at every company',
  'src/marketing/forms/queries.ts#findPublicForm': 'The look-up that tells the company',
  'src/marketing/events/key-queries.ts#purgeKeys': 'Housekeeping by age alone',
  'src/marketing/events/invariants.ts': 'The doctor looks at every company',
  'src/marketing/events/totals/queries.ts': 'Events are added up for all companies at once',
  'src/marketing/events/queries.ts#ensurePartitions': 'Makes partitions, which hold all companies',
  'src/outbox/invariants.ts': 'The doctor looks at every company',
  'src/marketing/flows/enrolment/entry-queries.ts#insertLimitedRuns':
    'A piece that reads what the statement around it found',
  'src/marketing/flows/invariants.ts': 'The doctor looks at every company',
  'src/marketing/flows/execution/due-queries.ts#FIRST_DUE': 'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/execution/due-queries.ts#companiesIn':
    'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/execution/due-queries.ts#nextDueRun': 'Tells a worker when to wake',
  'src/marketing/flows/report/stats.ts#foldStats': 'Folds the counts of all companies at once',
  'src/marketing/lists/queries.ts#keptTotals': 'A piece that is joined by the company of the row beside it',
  'src/marketing/lists/membership-queries.ts#purgeDeletedMemberships':
    'Housekeeping of lists that are gone, whosever they were',
  'src/marketing/contacts/consent/backfill.ts#nextCompany': 'Finds the next company for a chore',
  'src/messaging/sms/queries.ts#findRecipientsCompanies':
    'Finds the companies that know a number, before one is chosen',
  'src/messaging/sms/queries.ts#findSendersCompanies': 'Finds the companies that a number belongs to',
  'src/marketing/lists/confirmation-queries.ts#claimUnconfirmed':
    'Claims the due ones for a worker, each with its company',
  'src/marketing/segments/queries.ts#disableJit': 'Reads no table',
  'src/marketing/segments/rfm-queries.ts#companiesToClassify': 'Finds the companies that are then served one by one',
  'src/marketing/rules/compile.ts#isAmong': 'Around a statement of one company',
  'src/marketing/rules/compile.ts#compileOwn': "A part of a condition, about one contact's own row",
  'src/marketing/rules/json-values.ts#jsonRuleSql': 'A part of a condition, about one row',
  'src/marketing/flows/execution/webhooks/queries.ts#FIRST_DUE':
    'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/execution/webhooks/queries.ts#companiesWithCalls':
    'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/execution/webhooks/queries.ts#nextDueCall': 'Tells a worker when to wake',
  'src/marketing/flows/execution/far-ahead.ts': 'Makes due what waits in vain, whosever it is',
  'src/messaging/invariants.ts': 'The doctor looks at every company',
  'src/messaging/ledger/due-queries.ts#findDueWork': 'Finds the lanes that a worker then serves one by one',
  'src/messaging/ledger/claim-queries.ts#endExpiredClaims': 'Takes back what a dead worker held, whosever it is',
  'src/messaging/ledger/due-queries.ts#nextDueAt': 'Tells a worker when to wake',
  'src/messaging/send/send-rate-queries.ts#leaseSendingTime': 'A provider is one for all companies',
  'src/marketing/webhook/queries.ts#findBodyOnlySenders': 'The doctor looks at every company',
  'src/messaging/gate/held-queries.ts#companiesWithHeld': 'Finds the companies that a worker then serves one by one',
  'src/messaging/gate/far-ahead.ts': 'Makes due what waits in vain, whosever it is',
  'src/outbox/endpoints/far-ahead.ts': 'Makes due what waits in vain, whosever it is',
  'src/outbox/endpoints/claim-queries.ts#FIRST_DUE': 'Finds the companies that a worker then serves one by one',
  'src/outbox/endpoints/claim-queries.ts#companiesWithDeliveries':
    'Finds the companies that a worker then serves one by one',
  'src/outbox/endpoints/claim-queries.ts#nextDue': 'Tells a worker when to wake',
  'src/outbox/queries.ts#companiesWithOutbox': 'Finds the companies that a worker then serves one by one',
};
