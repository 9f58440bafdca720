/**
 * Statements, and pieces of such, that do not name one company themselves, with the reason: by `file#function`, or by file where the reason holds
 * for all of it. Every other statement has the company's id as a parameter.
 */
export const ACROSS_COMPANIES: Record<string, string> = {
  'src/access/company-versions.ts#createCompanyVersions': 'The poll asks which companies changed',
  'src/access/invariants.ts': 'The doctor looks at every company',
  'src/access/queries.ts#findApiKeyByHash': 'The look-up that tells the company',
  'src/access/queries.ts#findApiKeyById': 'The command line names keys by their id alone',
  'src/access/queries.ts#listCompanies': 'The command line lists all of them',
  'src/access/sessions.ts': "The operator's sessions belong to the installation",
  'src/commerce/invariants.ts': 'The doctor looks at every company',
  'src/commerce/orders/placement-queries.ts#reserveOrderIds': 'Reads a sequence, no table',
  'src/commerce/subscriptions/queries.ts#companiesWithDue': 'Finds the companies that a worker then serves one by one',
  'src/commerce/subscriptions/queries.ts#nextDue': 'Tells a worker when to wake',
  'src/db/idempotency.ts#purgeAnswers': 'Housekeeping by age alone',
  'src/db/home.ts#findHome': 'Reads what the server says of itself, no table',
  'src/http/health.ts#healthPages': 'Asks whether the database answers',
  'src/installation.ts': 'About the installation, of which there is one row',
  'src/marketing/campaigns/audience-queries.ts#findDue': 'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience-queries.ts#findUnwritten':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience-queries.ts#findFinished':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience-queries.ts#findCancelled':
    'Finds the campaigns that a worker then serves one by one',
  'src/marketing/campaigns/audience-queries.ts#nextScheduled': 'Tells a worker when to wake',
  'src/marketing/contacts/invariants.ts': 'The doctor looks at every company',
  'src/marketing/events/queries.ts#purgeKeys': 'Housekeeping by age alone',
  'src/marketing/events/queries.ts#ensurePartitions': 'Makes partitions, which hold all companies',
  'src/marketing/flows/enrolment-queries.ts#insertLimitedRuns': 'A piece that reads what the statement around it found',
  'src/marketing/flows/invariants.ts': 'The doctor looks at every company',
  'src/marketing/flows/run-queries.ts#FIRST_DUE': 'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/run-queries.ts#companiesIn': 'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/run-queries.ts#nextDueRun': 'Tells a worker when to wake',
  'src/marketing/flows/stats.ts#foldStats': 'Folds the counts of all companies at once',
  'src/marketing/lists/queries.ts#keptTotals': 'A piece that is joined by the company of the row beside it',
  'src/marketing/lists/queries.ts#purgeDeletedMemberships': 'Housekeeping of lists that are gone, whosever they were',
  'src/marketing/lists/queries.ts#claimUnconfirmed': 'Claims the due ones for a worker, each with its company',
  'src/marketing/rules/compile.ts#compileOwn': "A part of a condition, about one contact's own row",
  'src/marketing/rules/compile.ts#compileProperty': "A part of a condition, about one contact's own row",
  'src/marketing/flows/webhook-queries.ts#FIRST_DUE': 'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/webhook-queries.ts#companiesWithCalls':
    'Finds the companies that a worker then serves one by one',
  'src/marketing/flows/webhook-queries.ts#nextDueCall': 'Tells a worker when to wake',
  'src/messaging/mailbox-queries.ts#purgeMailbox': 'Housekeeping by age alone',
  'src/messaging/invariants.ts': 'The doctor looks at every company',
  'src/messaging/ledger-queries.ts#findDueWork': 'Finds the lanes that a worker then serves one by one',
  'src/messaging/ledger-queries.ts#endExpiredLeases': 'Takes back what a dead worker held, whosever it is',
  'src/messaging/ledger-queries.ts#nextDueAt': 'Tells a worker when to wake',
  'src/outbox/endpoints/queries.ts#companiesWithDeliveries': 'Finds the companies that a worker then serves one by one',
  'src/outbox/endpoints/queries.ts#nextDue': 'Tells a worker when to wake',
  'src/outbox/queries.ts#companiesWithOutbox': 'Finds the companies that a worker then serves one by one',
};
